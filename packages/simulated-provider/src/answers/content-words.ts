/** Words that do not indicate the subject of a text. */
const fillers = new Set(
  (
    'about above after again also answer because been before being below between both could does doing down during each ' +
    'explain from further have having here hers herself himself into itself just know like make more most myself need ' +
    'only other ours over please same shall should show some such tell than that their them then there these they this ' +
    'those through under until user very want were what when where which while whom will with would write your yours'
  ).split(' '),
)

/**
 * Up to `most` different words of at least four letters or digits that indicate the subject of `text`, in order. Reads
 * only the first 2,000 characters, so a long prompt costs no more than a short one.
 */
export function contentWords(text: string, most: number): string[] {
  const words = new Set<string>()
  for (const [word] of text
    .slice(0, 2_000)
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]{4,30}/gu)) {
    if (!fillers.has(word)) words.add(word)
    if (words.size === most) break
  }
  return [...words]
}
