import { readBlindLog } from '@ratchet/contracts/blind-log'
import { type ReactNode, useState } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Conversation } from '../../../kit/conversation/conversation.tsx'
import { LogGrade } from '../../../kit/log-grade.tsx'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'

interface DrawnAnswerProps {
  readonly logId: string
  readonly title: string
  /** The judge of the gate. */
  readonly judgeId: string | null
  readonly opened: boolean
  readonly onClose: () => void
  readonly onGraded: () => void
}

/**
 * A drawn answer to grade. The browser receives the conversation only: model, cost, time and verdict would tell the arm, or
 * what a judge said.
 */
export function DrawnAnswer({ logId, title, judgeId, opened, onClose, onGraded }: DrawnAnswerProps): ReactNode {
  const [judge, setJudge] = useState(judgeId ?? undefined)
  const entry = useEndpoint(readBlindLog, { params: { id: logId } }, { enabled: opened })
  return (
    <SidePanel title={title} opened={opened} onClose={onClose}>
      <Loaded query={entry}>
        {({ id, messages, response, redaction }) => (
          <div style={{ display: 'grid', gap: 12 }}>
            <LogGrade key={id} logId={id} mine={null} judgeId={judge} onJudge={setJudge} isBlind onGraded={onGraded} />
            <Conversation messages={[...messages, response]} kinds={redaction.kinds} />
          </div>
        )}
      </Loaded>
    </SidePanel>
  )
}
