/** What the execute command agent adds to a container's environment for its commands. */
export const terminalEnvironment = (
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  ...environment,
  TERM: 'xterm-256color',
  // Without a locale a shell would take bytes for characters.
  ...(!environment['LANG'] && { LANG: 'C.UTF-8' }),
});
