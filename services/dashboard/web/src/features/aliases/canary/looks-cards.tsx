import { Select } from '@mantine/core'
import type { AliasGate } from '@ratchet/contracts/alias-gate'
import { type GateEpoch, listGateLooks } from '@ratchet/contracts/session-aliases'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { exactTime, relativeTime } from '../../../kit/time.ts'
import { useMinute } from '../../../kit/time-text.tsx'
import { CanarySequence } from '../../../pictures/canary-sequence.tsx'
import { gateWords, isWatched } from '../alias-words.ts'
import styles from '../aliases.module.css'
import { useOpenAlias } from '../detail/alias-context.ts'
import { GuardsCard } from './guards-card.tsx'
import { sequenceOf } from './sequence-points.ts'

const route = getRouteApi('/w/$slug/aliases/$name/canary')

/** The evaluations of the gate as pictures. */
export function LooksCards(): ReactNode {
  const { alias, gate } = useOpenAlias()
  const { epoch } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/aliases/$name/canary' })
  const query = epoch === undefined ? {} : { epoch }
  const looks = useEndpoint(listGateLooks, { params: { name: alias.name }, query: query as never }, { keepsOld: true })
  const reread = useEffectEvent(() => void looks.refetch())
  // The gate says that it was evaluated again, and then there is one more to show.
  useEffect(() => reread(), [gate.looks, gate.state])
  return (
    <Loaded query={looks}>
      {({ data, epochs }) => {
        if (epochs.length === 0) return <NoLooks />
        const choose = (
          <EpochChoice
            epochs={epochs}
            value={epoch}
            onChange={(chosen) => void navigate({ search: chosen === undefined ? {} : { epoch: chosen } })}
          />
        )
        return (
          <>
            <Card title="Canary against target" actions={choose}>
              <Sequence data={data} />
            </Card>
            <GuardsCard looks={data.filter((look) => look.epoch === data.at(-1)?.epoch)} />
          </>
        )
      }}
    </Loaded>
  )
}

function NoLooks(): ReactNode {
  const { alias, gate } = useOpenAlias()
  const text = isWatched(alias)
    ? 'The gate has not been evaluated yet; that happens every few seconds once requests are logged.'
    : gate.reason
  return (
    <Card title="Canary against target">
      <p className={`dimmed ${styles.line}`}>{text}</p>
    </Card>
  )
}

interface SequenceProps {
  readonly data: Parameters<typeof sequenceOf>[0]
}

function Sequence({ data }: SequenceProps): ReactNode {
  const { alias, gate } = useOpenAlias()
  const minuteMs = useMinute()
  const last = data.at(-1)
  const { points, epochs, flags } = sequenceOf(data)
  const isLive = isWatched(alias) && gate.looks === last?.look
  const before = points.at(-1) === undefined ? 0 : (epochs.at(-1) ?? 0)
  const readyAt = isLive ? (gate.plan?.ready_at ?? null) : null
  return (
    <>
      {points.length === 0 && (
        <p className={`dimmed ${styles.line}`}>
          Too few answers are scored: {last?.scored.target ?? 0} of the target and {last?.scored.canary ?? 0} of the
          canary so far.
        </p>
      )}
      {points.length > 0 && (
        <CanarySequence
          looks={points}
          epochs={epochs}
          flags={flags}
          margin={last?.margin ?? gate.margin}
          confidence={alias.gate_confidence}
          verdict={last === undefined ? '' : gateWords[last.state].word}
          expected={readyAt === null ? undefined : relativeTime(readyAt, minuteMs)}
          forecast={isLive ? forecastOf(gate.plan, before) : null}
        />
      )}
    </>
  )
}

/** Scored answers at which the plan of the gate is fulfilled. */
function forecastOf(plan: AliasGate['plan'], before: number): number | null {
  return plan === null ? null : before + plan.scored.target + plan.scored.canary
}

interface EpochChoiceProps {
  readonly epochs: readonly GateEpoch[]
  readonly value: string | undefined
  readonly onChange: (epoch: string | undefined) => void
}

function EpochChoice({ epochs, value, onChange }: EpochChoiceProps): ReactNode {
  if (epochs.length < 2) return null
  return (
    <Select
      aria-label="Split"
      data={[
        { value: '', label: 'The last splits' },
        ...epochs.map(({ epoch, first_at: at }) => ({
          value: String(epoch),
          label: `Split ${epoch}, from ${exactTime(at)}`,
        })),
      ]}
      allowDeselect={false}
      value={value ?? ''}
      onChange={(epoch) => onChange(epoch === null || epoch === '' ? undefined : epoch)}
    />
  )
}
