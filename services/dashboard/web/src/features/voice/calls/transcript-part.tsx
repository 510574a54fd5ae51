import type { CallDetails, CallTurn } from '@ratchet/contracts/voice/calls'
import type { ReactNode } from 'react'
import { Card } from '../../../kit/page.tsx'
import { duration } from '../../../kit/time.ts'
import styles from '../voice.module.css'

const names = { caller: 'Caller', agent: 'Agent', tool: 'Tool' } as const

/** What was said and heard, with the time in the call. */
export function TranscriptPart({ call: { transcript } }: { readonly call: CallDetails }): ReactNode {
  return (
    <Card title="What was said and heard">
      {transcript === null ? (
        <p className="dimmed">It was erased.</p>
      ) : transcript.length === 0 ? (
        <p className="dimmed">Nothing yet.</p>
      ) : (
        <ol className={styles.said} style={{ maxHeight: 'none' }}>
          {transcript.map((turn) => (
            <li key={turn.index}>
              <div className={styles.who}>{titleOf(turn)}</div>
              {turn.text}
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

function titleOf({ role, start_ms: startMs, interrupted, tool_call: tool }: CallTurn): string {
  const name = tool === null ? names[role] : `${names[role]} ${tool.name}`
  return `${name}, at ${duration(startMs)}${interrupted ? ', interrupted' : ''}`
}
