/** Room that several owners share. */
export interface Room {
  /** @returns a function that gives the place back, to be called once; null when there is none */
  enter(owner: string): (() => void) | null
}

/** One owner has a quarter of the places at most, so that there are some for others. */
export function createRoom(places: number): Room {
  const ofOwners = new Map<string, number>()
  let taken = 0
  return {
    enter(owner) {
      const before = ofOwners.get(owner) ?? 0
      if (taken >= places || before >= places / 4) return null
      taken += 1
      ofOwners.set(owner, before + 1)
      return () => {
        taken -= 1
        const left = (ofOwners.get(owner) ?? 1) - 1
        if (left === 0) ofOwners.delete(owner)
        else ofOwners.set(owner, left)
      }
    },
  }
}
