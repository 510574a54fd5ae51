import { Button, Group } from '@mantine/core'
import { type RevealedItem, readBatch } from '@ratchet/contracts/review-grades'
import { getRound, type ReviewRoundDetails } from '@ratchet/contracts/review-rounds'
import { type ReactNode, useEffect } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { now } from '../../../clock.ts'
import { useKey } from '../../../keys/key-context.ts'
import { firstWords } from '../../../kit/conversation/message-lines.ts'
import { textOf } from '../../../kit/conversation/message-parts.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { EvidencePicture } from '../evidence-picture.tsx'
import { forecastSentence } from '../forecast/forecast.ts'
import { useForecast } from '../forecast/use-forecast.ts'
import styles from './grading.module.css'
import { isBreakDue, sortedForCard } from './revealed.ts'
import type { Batch } from './sitting.ts'
import type { useSitting } from './use-sitting.ts'

interface BatchCardProps {
  readonly round: ReviewRoundDetails
  readonly batch: Batch
  readonly work: ReturnType<typeof useSitting>
}

/** What the judge said about ten graded items. It is asked for only when all grades of the batch are stored. */
export function BatchCard({ round, batch, work }: BatchCardProps): ReactNode {
  const waiting = work.outbox.waiting.filter(({ claimId }) => claimId === batch.claimId).length
  const go = waiting > 0 ? work.sendNow : work.closeCard
  useKey('row.open', go)
  return (
    <Card title={`Batch ${batch.number}`}>
      {waiting > 0 ? (
        <p role="status">
          {batch.items.length} graded. The verdicts are shown when the grades are stored; until then <strong>z</strong>{' '}
          takes the last one back.
        </p>
      ) : (
        <Revealed round={round} batch={batch} work={work} />
      )}
      <Group gap={8} mt={16}>
        <Button onClick={go}>{waiting > 0 ? 'Show the verdicts now' : 'Go on'}</Button>
        <span className="dimmed">Enter</span>
      </Group>
    </Card>
  )
}

function Revealed({ round, batch, work }: BatchCardProps): ReactNode {
  const { id } = round
  const revealed = useEndpoint(readBatch, { params: { id, n: String(batch.number) } })
  return (
    <Loaded query={revealed}>
      {({ items, evidence }) => (
        <>
          {isBreakDue({ answered: Object.keys(work.sitting.answers).length, sinceMs: now() - work.startedMs }) && (
            <Notice state="open">You have graded for a while. A break keeps grades good.</Notice>
          )}
          <ul className={styles.revealed}>
            {sortedForCard(items).map((item) => (
              <RevealedRow key={item.id} item={item} batch={batch} />
            ))}
          </ul>
          {evidence !== null && <EvidencePicture evidence={evidence} />}
          <Forecast roundId={id} />
        </>
      )}
    </Loaded>
  )
}

/** The forecast after this batch: the round is read again, which is the only time while somebody grades. */
function Forecast({ roundId }: { readonly roundId: string }): ReactNode {
  const { data, refetch } = useEndpoint(getRound, { params: { id: roundId } })
  useEffect(() => {
    void refetch()
  }, [refetch])
  const forecast = useForecast(data?.strata)
  return forecast === undefined ? null : <p className="dimmed">{forecastSentence(forecast)}</p>
}

function RevealedRow({ item, batch }: { readonly item: RevealedItem; readonly batch: Batch }): ReactNode {
  const shown = batch.items.find(({ id }) => id === item.id)
  const { label, verdict, explanation, known, kind } = item
  const differs = verdict !== null && label !== 'unsure' && verdict !== label
  return (
    <li data-differs={differs}>
      <div className={styles.revealedHead}>
        <StateLabel state={differs ? 'wrong' : verdict === null ? 'none' : 'proven'}>
          {verdict === null ? 'no verdict' : differs ? 'differs' : label === 'unsure' ? 'not compared' : 'agrees'}
        </StateLabel>
        <span>
          you: <strong>{label === 'unsure' ? 'not sure' : label}</strong>
        </span>
        {verdict !== null && (
          <span>
            judge: <strong>{verdict}</strong>
          </span>
        )}
        {known !== null && (
          <span>
            {kind === 'again' ? 'you said before' : 'settled before'}: <strong>{known}</strong>
          </span>
        )}
      </div>
      {shown && <div className="dimmed">{firstWords(textOf(shown.response))}</div>}
      {differs && explanation !== null && <div>{explanation}</div>}
    </li>
  )
}
