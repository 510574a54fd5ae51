import type { Conversation } from './fold-exchanges.ts'
import { bandsOf, resemblance } from './shingle-signature.ts'

/** Two conversations are near duplicates when they share at least this part of their word sequences. */
const nearness = 0.85

/**
 * The conversations that are near duplicates of an earlier one. Those without a signature never are. Yields from time to
 * time.
 */
export function* findNearDuplicates(
  conversations: readonly Conversation[],
): Generator<void, ReadonlySet<Conversation>> {
  const byBand = new Map<string, Uint32Array[]>()
  const found = new Set<Conversation>()
  for (const conversation of conversations) {
    const { signature } = conversation.leaf
    if (signature === null) continue
    const bands = bandsOf(signature)
    const alike = bands.flatMap((band) => byBand.get(band) ?? [])
    if ([...new Set(alike)].some((other) => resemblance(signature, other) >= nearness)) found.add(conversation)
    else for (const band of bands) remember(byBand, band, signature)
    yield
  }
  return found
}

/** Thousands of similar conversations can share a band. Comparing with only a few of them keeps the time linear. */
const comparedPerBand = 16

function remember(byBand: Map<string, Uint32Array[]>, band: string, signature: Uint32Array): void {
  const known = byBand.get(band)
  if (known === undefined) byBand.set(band, [signature])
  else if (known.length < comparedPerBand) known.push(signature)
}
