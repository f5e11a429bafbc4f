/** What the execute command agent adds to a container's environment for its commands. */
export const terminalEnvironment = (hasLocale: boolean): Readonly<Record<string, string>> => ({
  TERM: 'xterm-256color',
  // Without a locale a shell would take bytes for characters.
  ...(!hasLocale && { LANG: 'C.UTF-8' }),
});
