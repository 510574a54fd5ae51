import { Button } from '@mantine/core'
import { judgeOne } from '@ratchet/contracts/calibrations'
import { type LogEntry, listLogs } from '@ratchet/contracts/logs'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { firstWords } from '../../../kit/conversation/message-lines.ts'
import { textOf } from '../../../kit/conversation/message-parts.ts'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { useJudge } from '../detail/judge-context.ts'
import styles from '../judges.module.css'

const tried = 5

/** The judge on the newest answers of its traffic. Nothing but the charge is stored. */
export function TryTab(): ReactNode {
  const { population, population_family: family } = useJudge()
  const query = {
    limit: tried,
    ...(population === '' ? {} : { tag: population }),
    ...(family === '' ? {} : { segment: family }),
  }
  const logs = useEndpoint(listLogs, { query })
  return (
    <Card title="Try it on real answers">
      <Loaded query={logs}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No traffic">No logged exchange belongs to the population of this judge yet.</EmptyState>
          ) : (
            <ul className={styles.rows}>
              {(data as readonly LogEntry[]).map((log) => (
                <TriedRow key={log.id} log={log} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function TriedRow({ log }: { readonly log: LogEntry }): ReactNode {
  const { id } = useJudge()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(judgeOne)
  const question = log.messages.at(-1)
  return (
    <li>
      <div className={styles.pair}>
        <div>
          <div className="dimmed">{question === undefined ? '' : firstWords(textOf(question))}</div>
          <div>{firstWords(textOf(log.response), 300)}</div>
        </div>
        <div>
          {act.data === undefined ? (
            <NotPermitted reason={reason}>
              {(disabled) => (
                <Button
                  variant="default"
                  disabled={disabled}
                  loading={act.isPending}
                  onClick={() => act.mutate({ params: { id }, body: { log_id: log.id } })}
                >
                  Judge it
                </Button>
              )}
            </NotPermitted>
          ) : (
            <>
              <StateLabel state={act.data.verdict === 'fail' ? 'wrong' : 'proven'}>{act.data.verdict}</StateLabel>
              <p>{act.data.explanation}</p>
              <span className="dimmed">{moneyText(microOfUsd(act.data.cost_usd))}</span>
            </>
          )}
          {act.error && <ErrorState error={act.error} />}
        </div>
      </div>
    </li>
  )
}
