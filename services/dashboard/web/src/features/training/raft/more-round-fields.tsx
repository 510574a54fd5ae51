import { Select, TextInput } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import { listModels } from '@ratchet/contracts/models'
import { type ReactNode, useState } from 'react'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import styles from '../training.module.css'
import type { RoundStepProps } from './round-fields.tsx'

type TextField = 'holdoutPct' | 'nEpochs' | 'batchSize' | 'learningRate' | 'loraRank' | 'maxSequenceLength'

interface Setting {
  readonly field: TextField
  readonly label: string
  readonly description: string
  readonly placeholder: string
}

const held: Setting = {
  field: 'holdoutPct',
  label: 'Held out',
  description: 'Percent of the prompts, 1 to 50, that are measured with and not trained on.',
  placeholder: '10',
}

const trained: readonly Setting[] = [
  { field: 'nEpochs', label: 'Epochs', description: 'Passes over the examples, 1 to 20.', placeholder: 'auto' },
  { field: 'batchSize', label: 'Batch size', description: 'Examples of one step, 1 to 512.', placeholder: 'auto' },
  { field: 'learningRate', label: 'Learning rate', description: 'From 1e-7 to 0.01.', placeholder: '2e-4' },
  { field: 'loraRank', label: 'LoRA rank', description: 'A version keeps its own.', placeholder: '32' },
  { field: 'maxSequenceLength', label: 'Longest example', description: 'Tokens.', placeholder: '8,192' },
]

/** What has good defaults: how it is trained, and an eval of what comes out. */
export function MoreRoundFields({ isFirst, ...step }: RoundStepProps & { readonly isFirst: boolean }): ReactNode {
  const [isOpened, setIsOpened] = useState(false)
  const { values, change, errorAt } = step
  const settings = isFirst && values.evalDatasetId === '' ? [held, ...trained] : trained
  const pathOf = (field: TextField) => (field === 'holdoutPct' ? field : `fineTuning.hyperparameters.${field}`)
  const hasProblem = settings.some(({ field }) => errorAt(pathOf(field)) !== undefined)
  return (
    <details
      className={styles.more}
      open={isOpened || hasProblem || errorAt('evalBaseline') !== undefined}
      onToggle={({ currentTarget }) => setIsOpened(currentTarget.open)}
    >
      <summary>Advanced</summary>
      <div className={styles.fields}>
        {settings.map(({ field, ...input }) => (
          <TextInput
            key={field}
            {...input}
            inputMode="decimal"
            autoComplete="off"
            value={values[field]}
            error={errorAt(pathOf(field))}
            onChange={({ currentTarget }) => change({ [field]: currentTarget.value })}
          />
        ))}
        {isOpened && <EvalFields {...step} />}
      </div>
    </details>
  )
}

function EvalFields({ values, change, errorAt }: RoundStepProps): ReactNode {
  const models = useEndpoint(listModels)
  const judges = useList(listCriteria, { query: { status: 'draft', unit: 'request' } })
  const chat = (models.data?.data ?? []).filter(({ capabilities }) => capabilities.includes('chat'))
  return (
    <>
      <FailedReads of={[models, judges]} />
      <Select
        label="Compare the version with"
        description="An eval on the held out prompts, when it is trained. It is paid besides."
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'No eval' }}
        data={chat.map(({ id }) => id)}
        value={values.evalBaselineModel === '' ? null : values.evalBaselineModel}
        error={errorAt('evalBaseline.evalBaselineModel')}
        comboboxProps={{ withinPortal: false }}
        onChange={(chosen) => change({ evalBaselineModel: chosen ?? '' })}
      />
      <Select
        label="Compared by"
        description="A judge that did not choose what is trained on: then the eval counts for an adoption."
        disabled={values.evalBaselineModel === ''}
        data={judges.rows.map(({ id, name, trust }) => ({ value: id, label: `${name} · ${trust}` }))}
        value={values.evalCriterionId === '' ? null : values.evalCriterionId}
        error={errorAt('evalBaseline.criterionId')}
        comboboxProps={{ withinPortal: false }}
        onChange={(chosen) => change({ evalCriterionId: chosen ?? '' })}
      />
    </>
  )
}
