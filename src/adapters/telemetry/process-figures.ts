import { Counter, Gauge, type Registry } from 'prom-client';

const MICROSECONDS = 1_000_000;

/**
 * What every Prometheus client tells of its process, read when somebody asks. prom-client's own collection is left out: its
 * timers and observers keep a process awake that has nothing to do.
 */
export const addProcessFigures = (registry: Registry, clock: { now(): number }): void => {
  const registers = [registry];
  const startedAt = clock.now() / 1_000 - process.uptime();
  let counted = 0;
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process, in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const seconds = (user + system) / MICROSECONDS;
      this.inc(seconds - counted);
      counted = seconds;
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process, in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process started, in seconds since the epoch.',
    registers,
  }).set(startedAt);
};
