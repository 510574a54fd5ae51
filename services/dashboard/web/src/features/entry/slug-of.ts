/** The address that a name suggests: lower case letters, digits and hyphens, at most 40. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return plain.slice(0, 40).replace(/^-|-$/g, '')
}
