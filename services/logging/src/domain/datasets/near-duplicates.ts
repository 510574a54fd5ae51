import type { Conversation } from './fold-exchanges.ts'
import { bandsOf, resemblance } from './shingle-signature.ts'

/** Share of common word runs from which two conversations are nearly the same. */
const nearness = 0.85

/** The conversations that are nearly the same as one before them. Those without a signature never are. */
export function findNearDuplicates(conversations: readonly Conversation[]): ReadonlySet<Conversation> {
  const byBand = new Map<string, Uint32Array[]>()
  const found = new Set<Conversation>()
  for (const conversation of conversations) {
    const { signature } = conversation.leaf
    if (signature === null) continue
    const bands = bandsOf(signature)
    const alike = bands.flatMap((band) => byBand.get(band) ?? [])
    if ([...new Set(alike)].some((other) => resemblance(signature, other) >= nearness)) found.add(conversation)
    else for (const band of bands) remember(byBand, band, signature)
  }
  return found
}

/** Conversations of one form share bands by the thousand: comparing each with a few of the others keeps it linear. */
const comparedPerBand = 16

function remember(byBand: Map<string, Uint32Array[]>, band: string, signature: Uint32Array): void {
  const known = byBand.get(band)
  if (known === undefined) byBand.set(band, [signature])
  else if (known.length < comparedPerBand) known.push(signature)
}
