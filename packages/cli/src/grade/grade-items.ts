import type { GradeCandidate } from '@ratchet/contracts/scans'
import type { Keys } from '../cli-io.ts'
import { conversationText } from '../text/message-text.ts'

/** A grade that a person gave. */
export interface GivenGrade {
  readonly logId: string
  readonly label: 'pass' | 'fail'
  readonly rationale: string | null
}

/** What a person decided about one exchange. */
export type Decision =
  | { readonly kind: 'graded'; readonly label: 'pass' | 'fail' }
  | { readonly kind: 'reason' }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'unknown' }

export const keyHelp = '[p]ass  [f]ail  [r] fail with a reason  [s]kip  [q]uit'

/** @param key as the person pressed it; null at the end of the input */
export function decisionOf(key: string | null): Decision {
  switch (key?.toLowerCase()) {
    case 'p':
      return { kind: 'graded', label: 'pass' }
    case 'f':
      return { kind: 'graded', label: 'fail' }
    case 'r':
      return { kind: 'reason' }
    case 's':
      return { kind: 'skipped' }
    case 'q':
    case undefined:
      return { kind: 'ended' }
    default:
      return { kind: 'unknown' }
  }
}

/** An exchange as a person grades it: blind, without any verdict. */
export function candidateText({ messages, response, segment }: GradeCandidate, place: string): string {
  const line = '─'.repeat(60)
  return `${line}\n${place}  ${segment}\n${conversationText(messages)}\n\nANSWER\n${conversationText([response])}\n`
}

/** Asks for a grade of one exchange until a known key is pressed. Null when the person ends. */
export async function askForGrade(
  keys: Keys,
  logId: string,
  say: (text: string) => void,
): Promise<GivenGrade | 'skipped' | null> {
  for (;;) {
    say(`${keyHelp}: `)
    const decision = decisionOf(await keys.next())
    switch (decision.kind) {
      case 'graded':
        say(`${decision.label}\n`)
        return { logId, label: decision.label, rationale: null }
      case 'reason': {
        say('fail, because: ')
        const line = await keys.line()
        if (line === null) return null
        const rationale = line.trim()
        return { logId, label: 'fail', rationale: rationale === '' ? null : rationale }
      }
      case 'skipped':
        say('skipped\n')
        return 'skipped'
      case 'ended':
        say('\n')
        return null
      case 'unknown':
        say('?\n')
    }
  }
}
