/** Lets a number of calls of each owner run at one time; the others wait in the order in which they came. */
export interface Places {
  within<T>(owner: string, max: number, work: () => Promise<T>): Promise<T>
}

interface Owner {
  running: number
  readonly waiting: (() => void)[]
}

export function createPlaces(): Places {
  const owners = new Map<string, Owner>()
  return {
    async within(name, max, work) {
      const owner = owners.get(name) ?? { running: 0, waiting: [] }
      owners.set(name, owner)
      if (owner.running >= max) await new Promise<void>((resolve) => owner.waiting.push(resolve))
      else owner.running += 1
      try {
        return await work()
      } finally {
        const next = owner.waiting.shift()
        // The place is handed over.
        if (next !== undefined) next()
        else {
          owner.running -= 1
          if (owner.running === 0) owners.delete(name)
        }
      }
    },
  }
}
