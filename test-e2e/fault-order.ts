/** Faults in an order that chance decides; each kind comes before one comes again. */
export function faultOrder<Kind>(kinds: readonly Kind[], count: number, random: () => number): readonly Kind[] {
  const rounds = Array.from({ length: Math.ceil(count / kinds.length) }, () =>
    kinds
      .map((fault) => ({ fault, at: random() }))
      .toSorted((left, right) => left.at - right.at)
      .map(({ fault }) => fault),
  )
  return rounds.flat().slice(0, count)
}
