/** Longer names are not compared, so that a hostile one costs nothing. */
export const maxComparedLength = 80
const maxNames = 3

/**
 * The ids that are spelled most like a name, at most three. Both are compared without the prefix of a provider when the
 * name has none.
 */
export function nearestNames(name: string, ids: readonly string[]): string[] {
  if (name.length > maxComparedLength || name === '') return []
  const asked = name.toLowerCase()
  const spelled = (id: string) => (asked.includes('/') ? id : id.slice(id.indexOf('/') + 1)).toLowerCase()
  const most = Math.max(2, Math.floor(asked.length / 3))
  const rated = ids.map((id) => ({ id, distance: distanceBetween(asked, spelled(id), most) }))
  const close = rated.filter(({ distance }) => distance <= most).sort((a, b) => a.distance - b.distance)
  return close.slice(0, maxNames).map(({ id }) => id)
}

/** A name that begins with another one, or contains it, is a variant of it. */
function distanceBetween(asked: string, spelled: string, most: number): number {
  const [short, long] = asked.length < spelled.length ? [asked, spelled] : [spelled, asked]
  const surplus = long.length - short.length
  if (short.length >= shortestPart && long.includes(short)) return Math.min(2, surplus) + surplus / 100
  return surplus > most ? Number.POSITIVE_INFINITY : distanceOf(asked, spelled, most)
}

const shortestPart = 4

/** Number of characters that have to be added, removed or replaced; infinite when that is more than `most`. */
function distanceOf(left: string, right: string, most: number): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...left].entries()) {
    const next = [index + 1]
    for (let at = 1; at <= right.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (right[at - 1] === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    // A row is never lower than the one before.
    if (Math.min(...next) > most) return Number.POSITIVE_INFINITY
    row = next
  }
  return row[right.length] ?? 0
}
