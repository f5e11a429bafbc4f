/** What a text of the command line means, or why it cannot be: a sentence that follows the flag's name. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

export const given = <T>(value: T): Parsed<T> => ({ ok: true, value });

export const refused = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });
