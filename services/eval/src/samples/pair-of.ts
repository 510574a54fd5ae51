import type { JudgedPair } from './measured-sample.ts'
import type { KeptLook } from './sample.ts'

/** What the looks at one candidate come to. */
export function pairOf(looks: readonly KeptLook[], candidateIndex: number): JudgedPair {
  const own = looks.filter((look) => look.candidateIndex === candidateIndex)
  const plain = own.find(({ isSwapped }) => !isSwapped)
  const swapped = own.find(({ isSwapped }) => isSwapped)
  if (plain?.preference != null && swapped?.preference != null) {
    return { kind: 'judged', looks: [plain.preference, swapped.preference] }
  }
  const wasUnparseable = own.some(({ failure }) => failure === 'unparseable')
  const failedOtherwise = own.some(({ failure }) => failure !== null && failure !== 'unparseable')
  return { kind: wasUnparseable && !failedOtherwise ? 'unparseable' : 'unjudged' }
}
