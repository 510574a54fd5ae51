import { Button } from '@mantine/core'
import { judgeOne } from '@ratchet/contracts/calibrations'
import { type LogEntry, listLogs } from '@ratchet/contracts/logs'
import { listTraces } from '@ratchet/contracts/traces'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { firstWords } from '../../../kit/conversation/message-lines.ts'
import { textOf } from '../../../kit/conversation/message-parts.ts'
import { RunLink } from '../../../kit/item-link.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { countOf } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { useJudge } from '../detail/judge-context.ts'
import styles from '../judges.module.css'

const tried = 5

/** The judge on the newest answers or runs of its traffic. Nothing but the charge is stored. */
export function TryTab(): ReactNode {
  const { population, population_family: family, unit } = useJudge()
  const query = {
    limit: tried,
    ...(population === '' ? {} : { tag: population }),
    ...(family === '' ? {} : { segment: family }),
  }
  return unit === 'trace' ? <TriedRuns query={query} /> : <TriedLogs query={query} />
}

interface TriedProps {
  readonly query: Readonly<Record<string, string | number>>
}

function TriedLogs({ query }: TriedProps): ReactNode {
  const logs = useEndpoint(listLogs, { query })
  return (
    <Card title="Try it on real answers">
      <Loaded query={logs}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No traffic">No logged exchange belongs to the population of this judge yet.</EmptyState>
          ) : (
            <ul className={styles.rows}>
              {(data as readonly LogEntry[]).map(({ id, messages, response }) => (
                <TriedRow key={id} item={{ log_id: id }}>
                  <div className="dimmed">{questionOf(messages)}</div>
                  <div>{firstWords(textOf(response), 300)}</div>
                </TriedRow>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function TriedRuns({ query }: TriedProps): ReactNode {
  const runs = useEndpoint(listTraces, { query: { ...query, limit: 50 } })
  return (
    <Card title="Try it on real runs">
      <Loaded query={runs}>
        {({ data }) => {
          const completed = data.filter((run) => run.completed).slice(0, tried)
          if (completed.length === 0) {
            return (
              <EmptyState title="No completed run">
                No completed run belongs to the population of this judge yet. A run is completed ten minutes after its
                last step.
              </EmptyState>
            )
          }
          return (
            <ul className={styles.rows}>
              {completed.map(({ id, steps, models }) => (
                <TriedRow key={id} item={{ trace_id: id }}>
                  <RunLink id={id} />
                  <div className="dimmed">
                    {countOf(steps, 'step')}, {models.join(', ')}
                  </div>
                </TriedRow>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}

interface TriedRowProps {
  readonly item: { readonly log_id: string } | { readonly trace_id: string }
  readonly children: ReactNode
}

function TriedRow({ item, children }: TriedRowProps): ReactNode {
  const { id } = useJudge()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(judgeOne)
  return (
    <li>
      <div className={styles.pair}>
        <div>{children}</div>
        <div>
          {act.data === undefined ? (
            <NotPermitted reason={reason}>
              {(disabled) => (
                <Button
                  variant="default"
                  disabled={disabled}
                  loading={act.isPending}
                  onClick={() => act.mutate({ params: { id }, body: item })}
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

function questionOf(messages: LogEntry['messages']): string {
  const question = messages.at(-1)
  return question === undefined ? '' : firstWords(textOf(question))
}
