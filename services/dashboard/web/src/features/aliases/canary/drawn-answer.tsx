import { readBlindLog, readBlindRun } from '@ratchet/contracts/blind-log'
import { type ReactNode, useState } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Conversation } from '../../../kit/conversation/conversation.tsx'
import { type GradedItem, ItemGrade } from '../../../kit/item-grade.tsx'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'

interface DrawnAnswerProps {
  readonly item: GradedItem
  readonly title: string
  /** The judge of the gate. */
  readonly judgeId: string | null
  readonly opened: boolean
  readonly onClose: () => void
  readonly onGraded: () => void
}

/**
 * A drawn answer or run to grade. The browser receives the conversation only: model, cost, time and verdict would tell the
 * arm, or what a judge said.
 */
export function DrawnAnswer({ item, title, judgeId, opened, onClose, onGraded }: DrawnAnswerProps): ReactNode {
  const [judge, setJudge] = useState(judgeId ?? undefined)
  const isLog = item.unit === 'request'
  const [logId, traceId] = isLog ? [item.log_id, ''] : ['', item.trace_id]
  const log = useEndpoint(readBlindLog, { params: { id: logId } }, { enabled: opened && isLog })
  const run = useEndpoint(readBlindRun, { params: { trace_id: traceId } }, { enabled: opened && !isLog })
  const content = (shown: Pick<NonNullable<typeof log.data>, 'id' | 'messages' | 'response' | 'redaction'>) => (
    <div style={{ display: 'grid', gap: 12 }}>
      <ItemGrade
        key={shown.id}
        item={item}
        mine={null}
        judgeId={judge}
        onJudge={setJudge}
        isBlind
        onGraded={onGraded}
      />
      <Conversation messages={[...shown.messages, shown.response]} kinds={shown.redaction.kinds} />
    </div>
  )
  return (
    <SidePanel title={title} opened={opened} onClose={onClose}>
      {isLog ? <Loaded query={log}>{content}</Loaded> : <Loaded query={run}>{content}</Loaded>}
    </SidePanel>
  )
}
