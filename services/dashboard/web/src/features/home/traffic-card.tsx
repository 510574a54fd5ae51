import { Anchor, SegmentedControl } from '@mantine/core'
import { readUsage } from '@ratchet/contracts/billing'
import { readFailures } from '@ratchet/contracts/failures'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { now } from '../../clock.ts'
import { moneyText } from '../../kit/money.ts'
import { count } from '../../kit/numbers.ts'
import { Card } from '../../kit/page.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { duration } from '../../kit/time.ts'
import styles from './home.module.css'
import { failureLine } from './traffic-words.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const periods = [
  { value: '1', label: '24 h' },
  { value: '7', label: '7 d' },
  { value: '30', label: '30 d' },
]

/** Requests, how long answers took, what was spent, and failed requests by cause, of the last days. */
export function TrafficCard(): ReactNode {
  const [days, setDays] = useState('1')
  const from = useMemo(() => new Date(Math.floor(now() / hourMs) * hourMs - Number(days) * dayMs).toISOString(), [days])
  const query = { group_by: 'cause', from } as const
  const failures = useEndpoint(readFailures, { query }, { topics: ['logs'], keepsOld: true })
  const choice = <SegmentedControl size="xs" aria-label="Period" data={periods} value={days} onChange={setDays} />
  return (
    <Card title="Traffic" actions={choice}>
      <Loaded query={failures}>
        {({ requests, answered, cached, failed, latency, groups }) => (
          <>
            <dl className={styles.figures}>
              <Figure name="Requests" value={count(requests)} />
              <Figure name="Answered" value={count(answered + cached)} />
              <Figure name="Failed" value={count(failed)} />
              {/* A service of the release before does not send it. */}
              {latency && (
                <>
                  <Figure name="Half answered within" value={duration(latency.p50_ms)} />
                  <Figure name="95 % answered within" value={duration(latency.p95_ms)} />
                </>
              )}
              <Spent from={from} />
            </dl>
            {failed > 0 && <Causes text={failureLine(groups, failed)} />}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** Only owners may read what was spent. */
function Spent({ from }: { readonly from: string }): ReactNode {
  const mayRead = reasonAgainst('owner', useWorkspace()) === null
  const query = { group_by: 'purpose', from } as const
  const usage = useEndpoint(readUsage, { query }, { enabled: mayRead, topics: ['wallet'], keepsOld: true })
  return usage.data === undefined ? null : (
    <Figure name="Spent" value={moneyText(usage.data.charges_nano, { unit: 'nano' })} />
  )
}

function Causes({ text }: { readonly text: string }): ReactNode {
  const { slug } = useWorkspace()
  return (
    <p className={styles.causes}>
      {text}{' '}
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/logs/failures" params={{ slug }} />}>
        See why
      </Anchor>
    </p>
  )
}
