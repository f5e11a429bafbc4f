/** What an agent says at the end of a session, without its frame; empty where it says nothing. */
export const closingWords = (output: string): string => output.replace(/^\s*-+ERROR-+\s*/, '').trim();
