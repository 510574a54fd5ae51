/**
 * Does something for each item, in order, for so many at a time. Once it has returned a value for one, or has thrown, nothing more
 * begins, and what is under way is waited for.
 *
 * @param each returns null to go on
 * @returns the first value; null when all items are done
 * @throws the first error
 */
export async function inTurns<Item, Value>(
  items: readonly Item[],
  places: number,
  each: (item: Item, index: number) => Promise<Value | null>,
): Promise<Value | null> {
  const waiting = items.entries()
  let end: (() => Value) | null = null
  const work = async () => {
    for (const [index, item] of waiting) {
      try {
        const value = await each(item, index)
        if (value !== null) end ??= () => value
      } catch (error) {
        end ??= () => {
          throw error
        }
      }
      if (end !== null) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(places, items.length) }, work))
  return (end as (() => Value) | null)?.() ?? null
}

/**
 * Makes something of each item, for so many at a time. After an error nothing more begins.
 *
 * @returns what was made, in the order of the items
 * @throws the first error
 */
export async function mapInTurns<Item, Made>(
  items: readonly Item[],
  places: number,
  make: (item: Item, index: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = []
  await inTurns(items, places, async (item, index) => {
    made[index] = await make(item, index)
    return null
  })
  return made
}
