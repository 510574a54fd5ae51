import { Button } from '@mantine/core'
import { getMyCall, listMyCalls, stopMyCall } from '@ratchet/contracts/session-voice'
import type { CallDetails } from '@ratchet/contracts/voice/calls'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { endText, isUnderWay, statusOf, talkText, verdictOf } from '../call-words.ts'
import styles from '../voice.module.css'
import { LatencyPart } from './latency-part.tsx'
import { RecordingPart } from './recording-part.tsx'
import { TranscriptPart } from './transcript-part.tsx'

const route = getRouteApi('/w/$slug/voice/calls/$id')
const pollMs = 2_000

/** A call: what was said, what it cost, how long the caller waited, and what judges say of it. */
export function CallPage(): ReactNode {
  const { id } = route.useParams()
  const found = useEndpoint(getMyCall, { params: { id } })
  usePolling(found.refetch, found.data !== undefined && isChanging(found.data), pollMs)
  return (
    <Page
      title="Call"
      lead={<CopyText text={id} label="Copy the id of the call" />}
      above={<AboveList of="voice/calls" />}
      actions={found.data && isUnderWay(found.data) && <StopButton id={id} />}
    >
      <Loaded query={found}>{(call) => <Parts call={call} />}</Loaded>
    </Page>
  )
}

/** Charges and verdicts come after the end. */
function isChanging(call: CallDetails): boolean {
  const isJudged = call.analysis?.verdicts.some(({ state }) => state === 'pending') === true
  return isUnderWay(call) || call.cost?.settled === false || isJudged
}

function StopButton({ id }: { readonly id: string }): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const stop = useAct(stopMyCall, { changes: [getMyCall, listMyCalls] })
  return (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button
          color="red"
          variant="light"
          disabled={disabled}
          loading={stop.isPending}
          onClick={() => stop.mutate({ params: { id } })}
        >
          Stop the call
        </Button>
      )}
    </NotPermitted>
  )
}

interface CallProps {
  readonly call: CallDetails
}

function Parts({ call }: CallProps): ReactNode {
  return (
    <div className={styles.parts}>
      <div className={styles.pair}>
        <FactsPart call={call} />
        <CostPart call={call} />
      </div>
      <JudgesPart call={call} />
      <RecordingPart call={call} />
      <TranscriptPart call={call} />
      <LatencyPart latency={call.latency} />
    </div>
  )
}

function FactsPart({ call }: CallProps): ReactNode {
  const { slug } = route.useParams()
  const { word, state } = statusOf(call)
  const end = endText(call)
  return (
    <Card title="What happened">
      <div className={styles.parts}>
        <div aria-live="polite">
          <StateLabel state={state}>{word}</StateLabel>
        </div>
        {end !== null && <p style={{ margin: 0 }}>{end}</p>}
        <Facts
          facts={[
            [
              'Agent',
              <Link key="agent" to="/w/$slug/voice/agents/$id" params={{ slug, id: call.agent_id }} search={{}}>
                Version {call.agent_version}
              </Link>,
            ],
            ['Arm', call.arm ?? 'no canary'],
            ['Talk', talkText(call)],
            ['Workers', String(call.worker_generations)],
            ['Created', <TimeText key="at" at={call.created_at} />],
            [
              'Requests',
              <Link key="trace" to="/w/$slug/traces/$id" params={{ slug, id: call.trace_id }} search={{}}>
                The trace
              </Link>,
            ],
          ]}
        />
      </div>
    </Card>
  )
}

const usd = (amount: number) => moneyText(microOfUsd(amount))

function CostPart({ call: { cost } }: CallProps): ReactNode {
  return (
    <Card title="Cost">
      {cost === null ? (
        <p className="dimmed">It cannot be read at the moment.</p>
      ) : (
        <Facts
          facts={[
            ['In all', `${usd(cost.total_usd)}${cost.settled ? '' : ', being charged'}`],
            ['Recognition', usd(cost.stt_usd)],
            ['Model', usd(cost.llm_usd)],
            ['Voice', usd(cost.tts_usd)],
            ['Telephone', usd(cost.telephony_usd)],
            ['Platform', usd(cost.platform_usd)],
          ]}
        />
      )}
    </Card>
  )
}

function JudgesPart({ call: { analysis } }: CallProps): ReactNode {
  const { slug } = route.useParams()
  if (analysis === null) return null
  return (
    <Card title="What judges say">
      <ul className={styles.verdicts}>
        {analysis.verdicts.map((verdict) => {
          const { word, state, reason } = verdictOf(verdict)
          return (
            <li key={verdict.criterion_id}>
              <StateLabel state={state}>{word}</StateLabel>{' '}
              <Link to="/w/$slug/judges/$judge" params={{ slug, judge: verdict.criterion_id }} search={{}}>
                {verdict.criterion_id}
              </Link>
              <span className="dimmed"> {verdict.trust ?? reason}</span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
