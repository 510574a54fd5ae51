/** Bytes or characters of ordinary text per token, the usual rule of thumb for English. */
export const perToken = 4
/** Base64 writes three bytes as four characters. */
const base64Share = 0.75

/** Tokens of reasoning that a provider sends encrypted, as base64: it is about as long as the text that it encrypts. */
export function encryptedTokens(base64Length: number): number {
  return (base64Length * base64Share) / perToken
}
