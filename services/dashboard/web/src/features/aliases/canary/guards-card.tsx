import type { GuardCheck } from '@ratchet/contracts/alias-gate'
import type { GateLook } from '@ratchet/contracts/session-aliases'
import type { ReactNode } from 'react'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { exactTime } from '../../../kit/time.ts'
import { points } from '../../../pictures/canary-sentence.ts'
import { GuardSequence } from '../../../pictures/guard-sequence.tsx'
import styles from '../aliases.module.css'

const guards: Readonly<Record<GuardCheck['name'], { title: string; format: (value: number) => string }>> = {
  error_rate_increase: { title: 'More errors', format: points },
  latency_ratio: { title: 'Slower (p95)', format: timesText },
  cost_ratio: { title: 'Dearer', format: timesText },
}

function timesText(value: number): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value)}×`
}

/** Errors, latency and cost of the canary against their limits, beside each other. */
export function GuardsCard({ looks }: { readonly looks: readonly GateLook[] }): ReactNode {
  const last = looks.at(-1)
  if (last === undefined || last.guard.length === 0) return null
  return (
    <Card title="Guards">
      <div className={styles.guards}>
        {last.guard.map((guard) => (
          <Guard key={guard.name} guard={guard} looks={looks} />
        ))}
      </div>
    </Card>
  )
}

interface GuardProps {
  readonly guard: GateLook['guard'][number]
  readonly looks: readonly GateLook[]
}

function Guard({ guard: { name, limit, breached }, looks }: GuardProps): ReactNode {
  const { title, format } = guards[name]
  const measured = looks.flatMap(({ at, guard }) => {
    const found = guard.find((each) => each.name === name)
    if (found === undefined || found.estimate === null || found.cs === null) return []
    return [{ time: exactTime(at), estimate: found.estimate, low: found.cs[0], high: found.cs[1] }]
  })
  return (
    <div>
      <h3>
        {title}{' '}
        <StateLabel state={breached ? 'wrong' : measured.length === 0 ? 'none' : 'open'}>
          {breached ? 'breached' : measured.length === 0 ? 'not measured' : 'not breached'}
        </StateLabel>
      </h3>
      {measured.length === 0 ? (
        <p className={`dimmed ${styles.line}`}>Limit {format(limit)}.</p>
      ) : (
        <GuardSequence title={title} looks={measured} limit={limit} isBreached={breached} format={format} />
      )}
    </div>
  )
}
