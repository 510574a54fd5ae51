/** JSON that Postgres can store as `jsonb`: without the character U+0000 and halves of characters, which models may write. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string'
      ? member.toWellFormed().replaceAll('\u0000', '\ufffd').replaceAll('\\u0000', '\\ufffd')
      : member,
  )
}
