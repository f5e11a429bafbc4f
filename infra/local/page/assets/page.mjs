// Draws what the server has decided (infra/local/page/page-state.ts). Text from the cluster only ever becomes text.

const $ = (id) => document.getElementById(id);

/** An element with attributes and children; a string child is text. */
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
};

let state;
let chosen;

// Nodes

const leaseText = ({ leaseRenewedAt }) =>
  leaseRenewedAt === undefined
    ? 'no lease'
    : `lease ${Math.max(0, Math.round((Date.now() - leaseRenewedAt) / 1000))} s old`;

const leaseClass = ({ leaseRenewedAt, leaseSeconds }) =>
  leaseRenewedAt === undefined || Date.now() - leaseRenewedAt > leaseSeconds * 1000 ? 'bad lease' : 'soft lease';

const drawNodes = () => {
  $('nodes').replaceChildren(
    ...state.nodes.map((node) =>
      element(
        'div',
        { class: `node ${node.ready}`, 'data-node': node.name },
        element('strong', {}, node.name),
        ` ${node.ready === 'True' ? 'Ready' : node.ready === 'missing' ? 'not registered' : `Ready=${node.ready}`}`,
        element('p', { class: leaseClass(node) }, leaseText(node)),
        element('p', { class: 'soft' }, node.conditions.map(({ type, status }) => `${type}=${status}`).join(' ')),
        node.taints.length > 0 ? element('p', { class: 'soft' }, `taints: ${node.taints.join(', ')}`) : undefined,
      ),
    ),
  );
};

// Pods and tasks

const statusClass = (status) => {
  if (['Running', 'Completed', 'Succeeded'].includes(status)) return 'good';
  return ['Pending', 'ContainerCreating', 'Terminating', 'gone'].includes(status) ? 'wait' : 'bad';
};

const taskTitle = (task) =>
  [
    `task ${task.id}${task.attempt === undefined ? '' : `, attempt ${task.attempt}`}: ${task.lastStatus}`,
    task.ip,
    task.stopped,
    ...task.containers.map(
      ({ name, status, exitCode, reason }) =>
        `${name}: ${status}${exitCode === undefined ? '' : `, exit code ${exitCode}`}${reason ? `, ${reason}` : ''}`,
    ),
  ]
    .filter(Boolean)
    .join('\n');

const taskLabel = (task) => {
  const codes = task.containers.flatMap(({ exitCode }) => (exitCode === undefined ? [] : [exitCode]));
  return task.lastStatus === 'STOPPED' ? `STOPPED ${codes.join(',')}` : task.lastStatus;
};

const placeSpan = (bar, { from, to }, begin, now) => {
  const left = Math.max(0, (from - begin) / (now - begin));
  const right = Math.min(1, ((to ?? now) - begin) / (now - begin));
  bar.style.left = `${left * 100}%`;
  bar.style.width = `${Math.max(0, right - left) * 100}%`;
  bar.style.display = right > 0 ? 'block' : 'none';
};

let bars = [];

const drawTask = (task, pod) => {
  const own = task.spans.map((span) => {
    const bar = element('i', { class: span.what });
    bars.push({ bar, span });
    return bar;
  });
  const pressed = chosen?.task === task.id;
  const track = element(
    'button',
    { class: 'track', type: 'button', title: taskTitle(task), 'aria-pressed': pressed, 'data-task': task.id },
    ...own,
    element('b', {}, taskLabel(task)),
  );
  track.addEventListener('click', () => choose(task, pod));
  return track;
};

const drawPods = () => {
  bars = [];
  const rows = state.pods.map((pod) =>
    element(
      'tr',
      { 'data-pod': pod.name },
      element('td', {}, pod.name),
      element('td', { class: statusClass(pod.status) }, pod.status),
      element('td', {}, String(pod.restarts)),
      element('td', {}, ...pod.tasks.map((task) => drawTask(task, pod))),
    ),
  );
  const none = element(
    'tr',
    {},
    element('td', { colspan: '4', class: 'soft' }, 'No pod yet: kubectl apply -f examples/hello.yaml'),
  );
  const focused = document.activeElement?.dataset?.task;
  $('pods').tBodies[0].replaceChildren(...(rows.length > 0 ? rows : [none]));
  // Rows are made anew: whoever works with the keyboard must not be thrown out.
  if (focused) document.querySelector(`[data-task="${CSS.escape(focused)}"]`)?.focus();
  $('hidden-pods').textContent = state.hiddenPods > 0 ? `${state.hiddenPods} older pods are not shown.` : '';
};

/** What changes by time alone. */
const drawTime = () => {
  if (!state) return;
  const now = Date.now();
  const begin = now - Number($('window').value) * 60_000;
  $('from').textContent = new Date(begin).toLocaleTimeString();
  for (const { bar, span } of bars) placeSpan(bar, span, begin, now);
  for (const [index, lease] of [...document.querySelectorAll('.lease')].entries()) {
    lease.textContent = leaseText(state.nodes[index]);
    lease.className = leaseClass(state.nodes[index]);
  }
};

// Events

const drawEvents = () => {
  $('events').tBodies[0].replaceChildren(
    ...state.events.map(({ at, type, reason, object, message, count }) =>
      element(
        'tr',
        { class: type },
        element('td', {}, new Date(at).toLocaleTimeString()),
        element('td', {}, type),
        element('td', {}, count > 1 ? `${reason} ×${count}` : reason),
        element('td', {}, object),
        element('td', {}, message),
      ),
    ),
  );
};

// Log

let log;
const maxLines = 2000;

const choose = (task, pod, container = task.containers.find(({ logs }) => logs)?.name) => {
  log?.close();
  chosen = { task: task.id, container };
  $('log').replaceChildren();
  $('log-of').textContent = `${pod.name}, task ${task.id}`;
  $('log-containers').replaceChildren(
    ...task.containers
      .filter(({ logs }) => logs)
      .map(({ name }) => {
        const button = element('button', { type: 'button', 'aria-pressed': name === container }, name);
        button.addEventListener('click', () => choose(task, pod, name));
        return button;
      }),
  );
  drawPods();
  drawTime();
  if (container === undefined) {
    $('log').textContent = 'No container of this task writes a log that can be read here.';
    return;
  }
  log = new EventSource(`log?task=${encodeURIComponent(task.id)}&container=${encodeURIComponent(container)}`);
  // A new connection tells the last lines again.
  log.addEventListener('open', () => $('log').replaceChildren());
  log.addEventListener('message', ({ data }) => {
    const pane = $('log');
    const atEnd = pane.scrollHeight - pane.scrollTop - pane.clientHeight < 8;
    for (const { at, text } of JSON.parse(data)) {
      pane.append(element('span', { class: 'soft' }, `${new Date(at).toLocaleTimeString()} `), `${text}\n`);
    }
    while (pane.childNodes.length > 2 * maxLines) pane.firstChild.remove();
    if (atEnd) pane.scrollTop = pane.scrollHeight;
  });
};

// The connection

const source = new EventSource('state');
source.addEventListener('open', () => {
  $('connection').textContent = 'live';
  $('connection').className = '';
});
source.addEventListener('error', () => {
  $('connection').textContent = 'the local cloud does not answer: what is shown is old';
  $('connection').className = 'lost';
});
source.addEventListener('message', ({ data }) => {
  state = JSON.parse(data);
  $('runtime').textContent = state.runtime;
  $('connection').textContent = state.problem ? `the cluster does not answer: ${state.problem}` : 'live';
  $('connection').className = state.problem ? 'lost' : '';
  drawNodes();
  drawPods();
  drawEvents();
  drawTime();
});
setInterval(drawTime, 1000);
$('window').addEventListener('change', drawTime);
