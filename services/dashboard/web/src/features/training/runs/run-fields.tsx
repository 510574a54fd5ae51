import { NumberInput, Select, TextInput } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import { listDatasets } from '@ratchet/contracts/datasets'
import { listTrainableModels } from '@ratchet/contracts/fine-tuning-models'
import { listModelVersions } from '@ratchet/contracts/model-versions'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import { MaxCostInput } from '../max-cost-input.tsx'
import styles from '../training.module.css'
import { trainableVersions } from '../versions/trainable-versions.ts'
import type { RunValues } from './run-values.ts'

interface StepProps {
  readonly values: RunValues
  readonly change: (changed: Partial<RunValues>) => void
  /** What the server says about a field of the body, or about a part of it. */
  readonly errorAt: (field: string) => string | undefined
}

/** The model, its prompts, and who rewards and watches it. */
export function ModelFields({ values, change, errorAt }: StepProps): ReactNode {
  const models = useEndpoint(listTrainableModels)
  const mayRead = reasonAgainst('owner_admin', useWorkspace()) === null
  const versions = useList(listModelVersions, { enabled: mayRead })
  const datasets = useList(listDatasets)
  const judges = useList(listCriteria, { query: { status: 'draft', unit: 'request' } })
  const trainable = (models.data ?? []).filter(({ methods }) => methods.includes('grpo'))
  const data = datasets.rows.map(({ id, name, example_count: examples }) => ({
    value: id,
    label: `${name} (${count(examples)})`,
  }))
  const judgeData = judges.rows.map(({ id, name, can_act: canAct, trust }) => ({
    value: id,
    label: canAct ? name : `${name} · ${trust}, not proven`,
    disabled: !canAct,
  }))
  const field = (
    key: 'baseModel' | 'warmStartFrom' | 'datasetId' | 'criterionId' | 'holdoutCriterionId',
    path: string,
    others: Partial<RunValues> = {},
  ) => ({
    value: values[key] === '' ? null : values[key],
    error: errorAt(path),
    searchable: true,
    comboboxProps: { withinPortal: false },
    onChange: (chosen: string | null) => change({ [key]: chosen ?? '', ...others }),
  })
  return (
    <Card title="1. Model, prompts and judges">
      <FailedReads of={[models, versions, datasets, judges]} />
      <div className={styles.fields}>
        <Select
          label="Model"
          nothingFoundMessage="No trainer offers a model for GRPO."
          data={trainable.map(({ id }) => id)}
          {...field('baseModel', 'baseModel', { warmStartFrom: '' })}
        />
        <Select
          label="Or a version of one"
          description="A model that was trained here: the training goes on with what it learned."
          clearable
          clearButtonProps={{ 'aria-label': 'No version' }}
          nothingFoundMessage="No version has an adapter."
          data={trainableVersions(versions.rows, trainable)}
          {...field('warmStartFrom', 'warmStartFrom', { baseModel: '' })}
        />
        <Select
          label="Dataset"
          description="Its prompts are answered. A part is held out."
          data={data}
          {...field('datasetId', 'datasetId')}
        />
        <Select
          label="Judge"
          description="Its verdicts are the reward, so it must be proven."
          data={judgeData}
          {...field('criterionId', 'reward')}
        />
        <Select
          label="Hold-out judge"
          description="Rewards nothing: it shows whether the reward is exploited."
          clearable
          clearButtonProps={{ 'aria-label': 'No hold-out judge' }}
          data={judgeData.filter(({ value }) => value !== values.criterionId)}
          {...field('holdoutCriterionId', 'holdout.criterionId')}
        />
        <TextInput
          label="Hold-out model"
          description="Instead of a hold-out judge: a model of another family, which judges by the same criterion."
          disabled={values.holdoutCriterionId !== ''}
          maxLength={200}
          value={values.holdoutModel}
          error={errorAt('holdout.judgeModel')}
          onChange={({ currentTarget }) => change({ holdoutModel: currentTarget.value })}
        />
      </div>
    </Card>
  )
}

/** How long it trains, and how much it may cost. */
export function SettingFields({ values, change, errorAt }: StepProps): ReactNode {
  const number = (key: 'maxSteps' | 'promptsPerStep' | 'groupSize', min: number, max: number) => ({
    min,
    max,
    allowDecimal: false,
    clampBehavior: 'strict' as const,
    value: values[key],
    error: errorAt(`hyperparameters.${key}`),
    onChange: (chosen: string | number) => typeof chosen === 'number' && change({ [key]: chosen }),
  })
  return (
    <div className={styles.fields}>
      <NumberInput label="Steps" {...number('maxSteps', 1, 10_000)} />
      <NumberInput label="Prompts of a step" {...number('promptsPerStep', 1, 512)} />
      <NumberInput
        label="Answers to each prompt"
        description="They are compared with each other."
        {...number('groupSize', 2, 64)}
      />
      <MaxCostInput
        description="Training and judges together."
        value={values.maxCostUsd}
        error={errorAt('maxCostUsd')}
        onChange={(maxCostUsd) => change({ maxCostUsd })}
      />
      <TextInput
        label="Name"
        maxLength={200}
        value={values.name}
        error={errorAt('name')}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
    </div>
  )
}
