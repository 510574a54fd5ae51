import { Button, Group, SegmentedControl, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useKey, useKeysOf } from '../../../keys/key-context.ts'
import { countOf } from '../../../kit/numbers.ts'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import styles from '../evals.module.css'
import { AgreementCard } from './agreement-card.tsx'
import { Answers, type Comparison, comparisons, Prompt } from './answers.tsx'
import { candidateSide, preferenceOf, type Side } from './blind.ts'
import { sampleQuery } from './sample-query.ts'
import type { SamplesProps } from './samples-props.ts'
import type { Choices } from './use-choices.ts'
import { useSample } from './use-sample.ts'
import { Walk } from './walk.tsx'

interface BlindSamplesProps extends SamplesProps {
  readonly choices: Choices
}

/** Samples without names: the person says which answer is better, and sees at the end how often the judge says the same. */
export function BlindSamples({ each, candidate, n, onGo, choices }: BlindSamplesProps): ReactNode {
  const [comparison, setComparison] = useState<Comparison>('beside')
  const reason = reasonAgainst('owner_admin', useWorkspace())
  // The place after the last sample shows the agreement.
  const page = useSample({ id: each.id, query: sampleQuery(candidate, 'all'), n, lastOf: (total) => total + 1, onGo })
  const sample = page.isPlaceholderData ? undefined : page.data?.data[0]
  const choose = (chosen: Side | 'neither') => {
    if (sample === undefined || reason !== null) return
    const about = { sampleId: sample.id, candidate }
    choices.choose({ ...about, preference: preferenceOf(about, chosen) })
    onGo(n + 1)
  }
  const mayChoose = sample !== undefined && reason === null
  useKey('samples.left', () => choose('left'), { enabled: mayChoose })
  useKey('samples.right', () => choose('right'), { enabled: mayChoose })
  useKey('samples.neither', () => choose('neither'), { enabled: mayChoose })
  return (
    <Loaded query={page}>
      {({ data: [shown], total }) => {
        if (total === 0) {
          return (
            <EmptyState title="No samples yet">This eval has no finished sample that could be compared.</EmptyState>
          )
        }
        const side = shown && candidateSide(shown.id, candidate)
        const answers = shown && [shown.candidates[candidate] ?? null, shown.baseline]
        const [left = null, right = null] = side === 'left' ? (answers ?? []) : (answers?.toReversed() ?? [])
        return (
          <Stack gap={16}>
            <div style={{ display: 'flex', flexWrap: 'wrap', gap: 12, justifyContent: 'space-between' }}>
              <Walk n={n} total={total} last={total + 1} onGo={onGo} />
              <SegmentedControl
                aria-label="How to compare"
                data={[...comparisons]}
                value={comparison}
                onChange={(chosen) => setComparison(chosen as Comparison)}
              />
            </div>
            {choices.error && <ErrorState error={choices.error} onRetry={choices.retry} />}
            {choices.waiting > 0 && (
              <span className="dimmed" role="status">
                {countOf(choices.waiting, 'choice')} being saved
              </span>
            )}
            {shown ? (
              <div className={styles.blind} data-old={page.isPlaceholderData} aria-busy={page.isPlaceholderData}>
                <Prompt sample={{ ...shown, reference: null }} />
                <ChooseBar reason={reason} onChoose={choose} />
                <Answers
                  comparison={comparison}
                  left={{ title: 'Left', answer: left, isNamed: false }}
                  right={{ title: 'Right', answer: right, isNamed: false }}
                />
              </div>
            ) : (
              <AgreementCard evalId={each.id} candidate={candidate} isSaving={choices.waiting > 0} />
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}

interface ChooseBarProps {
  readonly reason: string | null
  readonly onChoose: (chosen: Side | 'neither') => void
}

function ChooseBar({ reason, onChoose }: ChooseBarProps): ReactNode {
  const keys = {
    left: useKeysOf('samples.left'),
    neither: useKeysOf('samples.neither'),
    right: useKeysOf('samples.right'),
  }
  const button = (chosen: Side | 'neither', label: string, disabled: boolean) => (
    <Button variant="default" disabled={disabled} onClick={() => onChoose(chosen)}>
      {label}
      {keys[chosen] !== null && <span className="dimmed">&nbsp;{keys[chosen]}</span>}
    </Button>
  )
  return (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Group gap={8}>
          {button('left', 'Left is better', disabled)}
          {button('neither', 'Neither', disabled)}
          {button('right', 'Right is better', disabled)}
        </Group>
      )}
    </NotPermitted>
  )
}
