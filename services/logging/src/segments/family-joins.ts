/** Which families have become parts of others. */
export interface FamilyJoins {
  has(familyId: string): boolean
  /** The first owner of a family remains. */
  add(familyId: string, owner: string): void
  /** The family that another one has joined, or its own id. */
  resolve(familyId: string): string
}

export function createFamilyJoins(): FamilyJoins {
  const owners = new Map<string, string>()
  const resolve = (familyId: string): string => {
    const owner = owners.get(familyId)
    return owner === undefined ? familyId : resolve(owner)
  }
  return {
    resolve,
    has: (familyId) => owners.has(familyId),
    add(familyId, owner) {
      if (!owners.has(familyId) && resolve(owner) !== familyId) owners.set(familyId, owner)
    },
  }
}
