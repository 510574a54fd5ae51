import { listCriteria } from '@ratchet/contracts/criteria'
import { listVerdicts, type VerdictRow } from '@ratchet/contracts/scans'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { StateLabel } from '../../kit/state-mark.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { Notice } from '../../kit/states/notice.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { costText } from './log-columns.tsx'
import styles from './logs.module.css'

interface VerdictListProps {
  readonly logId: string
  readonly judgeId: string | undefined
  /** Called when a verdict is on the screen: a grade after that is not blind. */
  readonly onSeen: () => void
}

/** What the chosen judge says about an entry. */
export function VerdictList({ logId, judgeId = '', onSeen }: VerdictListProps): ReactNode {
  const judge = useEndpoint(listCriteria, { query: { unit: 'request', status: 'draft', limit: 200 } }).data?.data.find(
    ({ id }) => id === judgeId,
  )
  const verdicts = useEndpoint(
    listVerdicts,
    { params: { id: judgeId }, query: { log_id: logId } },
    { enabled: judgeId !== '' },
  )
  if (judgeId === '') {
    return <Notice state="none">Choose a judge above to see its verdicts on this entry.</Notice>
  }
  return (
    <Loaded query={verdicts}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="No verdict">{judge?.name ?? 'This judge'} has not judged this entry.</EmptyState>
        ) : (
          <Verdicts verdicts={data} onSeen={onSeen} />
        )
      }
    </Loaded>
  )
}

function Verdicts({ verdicts, onSeen }: { readonly verdicts: readonly VerdictRow[]; readonly onSeen: () => void }) {
  const seen = useEffectEvent(onSeen)
  useEffect(() => seen(), [])
  return (
    <div className={styles.panel}>
      {verdicts.map(({ id, verdict, source, explanation, judged_at: at, judge_model: model, cost_usd: usd }) => (
        <article key={id}>
          <div className={styles.line}>
            <StateLabel state={verdict === 'pass' ? 'proven' : 'wrong'}>{verdict}</StateLabel>
            <span className="dimmed">
              {source} · {model ?? 'unknown model'} · {costText(usd)} · <TimeText at={at} />
            </span>
          </div>
          {explanation !== null && <p style={{ margin: '4px 0 0', overflowWrap: 'anywhere' }}>{explanation}</p>}
        </article>
      ))}
    </div>
  )
}
