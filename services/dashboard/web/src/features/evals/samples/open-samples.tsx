import { SegmentedControl, Stack } from '@mantine/core'
import type { EvalSample } from '@ratchet/contracts/evals'
import { type ReactNode, useEffect, useState } from 'react'
import { useKey } from '../../../keys/key-context.ts'
import { LogLink } from '../../../kit/item-link.tsx'
import { Card } from '../../../kit/page.tsx'
import { type State, StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import styles from '../evals.module.css'
import { Answers, type Comparison, comparisons, Prompt } from './answers.tsx'
import { sampleQuery } from './sample-query.ts'
import type { SampleShow } from './sample-search.ts'
import type { SamplesProps } from './samples-props.ts'
import { useSample } from './use-sample.ts'
import { Walk } from './walk.tsx'

interface OpenSamplesProps extends SamplesProps {
  readonly show: SampleShow
  readonly onShow: (show: SampleShow) => void
  /** Called with each sample that is shown. */
  readonly onSeen: (sampleId: string) => void
}

const shows: readonly { readonly value: SampleShow; readonly label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'win', label: 'Wins' },
  { value: 'loss', label: 'Losses' },
  { value: 'tie', label: 'Ties' },
  { value: 'inconsistent', label: 'Inconsistent' },
  { value: 'error', label: 'Not judged' },
]

/** Samples with names, outcome, and what the judge said in both orders. */
export function OpenSamples({ each, candidate, n, onGo, show, onShow, onSeen }: OpenSamplesProps): ReactNode {
  const [comparison, setComparison] = useState<Comparison>('beside')
  const query = sampleQuery(candidate, show)
  const page = useSample({ id: each.id, query, n, lastOf: (total) => total, onGo })
  const shown = page.data?.data[0]?.id
  useEffect(() => {
    if (shown !== undefined) onSeen(shown)
  }, [shown, onSeen])
  useKey('samples.win', () => onShow('win'))
  useKey('samples.loss', () => onShow('loss'))
  useKey('samples.tie', () => onShow('tie'))
  useKey('samples.inconsistent', () => onShow('inconsistent'))
  useKey('samples.all', () => onShow('all'))
  return (
    <Stack gap={16}>
      <div className={styles.scroll}>
        <SegmentedControl
          aria-label="Samples to show"
          data={[...shows]}
          value={show}
          onChange={(chosen) => onShow(chosen as SampleShow)}
        />
      </div>
      <Loaded query={page}>
        {({ data: [sample], total }) =>
          sample === undefined ? (
            <EmptyState title="No such sample">No finished sample of this eval matches.</EmptyState>
          ) : (
            <Stack gap={16}>
              <div style={{ display: 'flex', flexWrap: 'wrap', gap: 12, justifyContent: 'space-between' }}>
                <Walk n={n} total={total} last={total} onGo={onGo} />
                <SegmentedControl
                  aria-label="How to compare"
                  data={[...comparisons]}
                  value={comparison}
                  onChange={(chosen) => setComparison(chosen as Comparison)}
                />
              </div>
              <Outcome sample={sample} candidate={candidate} />
              <Prompt sample={sample} />
              <Answers
                comparison={comparison}
                left={{ title: `Baseline · ${each.baseline_model}`, answer: sample.baseline, isNamed: true }}
                right={{
                  title: `Candidate · ${candidate}`,
                  answer: sample.candidates[candidate] ?? null,
                  isNamed: true,
                }}
              />
              <Orders sample={sample} candidate={candidate} />
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  )
}

const outcomes: Record<NonNullable<EvalSample['outcome']>, readonly [string, State]> = {
  win: ['the candidate wins', 'proven'],
  loss: ['the baseline wins', 'wrong'],
  tie: ['a tie', 'borderline'],
  error: ['not judged', 'none'],
}

/** Why a sample has no result, by the word of the API; other reasons are sentences. */
const failures: Readonly<Record<string, string>> = {
  over_cap: 'The eval had reached what it may cost.',
  gone: 'Its log entry was deleted before it was answered.',
}

interface SampleOf {
  readonly sample: EvalSample
  readonly candidate: string
}

function Outcome({ sample, candidate }: SampleOf): ReactNode {
  const outcome = sample.outcomes[candidate] ?? sample.outcome
  const [word, state] = outcome === null || outcome === undefined ? outcomes.error : outcomes[outcome]
  const checks = Object.entries(sample.assertions[candidate] ?? {})
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', gap: '4px 16px' }}>
      <StateLabel state={state}>{word}</StateLabel>
      {sample.disputed && <StateLabel state="open">the panel differs</StateLabel>}
      {checks.map(([name, passed]) => (
        <StateLabel key={name} state={passed ? 'proven' : 'wrong'}>
          {name}
        </StateLabel>
      ))}
      {sample.log_id !== null && <LogLink id={sample.log_id} />}
      {sample.error !== null && <Notice state="wrong">{failures[sample.error] ?? sample.error}</Notice>}
    </div>
  )
}

/** The verdict for each order in which the answers were shown. */
function Orders({ sample, candidate }: SampleOf): ReactNode {
  const orders = sample.orders.filter((order) => order.candidate === candidate)
  if (orders.length === 0) return null
  return (
    <Card title="What the judge said">
      <ul className={styles.orders}>
        {orders.map(({ judge, first, second, winner, explanation }) => (
          <li key={`${judge} ${first}`}>
            <strong>{winner === null ? 'no verdict' : winner === 'tie' ? 'a tie' : `${winner} is better`}</strong>{' '}
            <span className="dimmed">
              {judge}, shown {first} first and {second} second
            </span>
            {explanation !== null && <p style={{ margin: '4px 0 0', overflowWrap: 'anywhere' }}>{explanation}</p>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
