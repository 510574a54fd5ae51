import { NumberInput, SegmentedControl, Select, Text, TextInput } from '@mantine/core'
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
import type { RoundValues } from './round-values.ts'

export interface RoundStepProps {
  readonly values: RoundValues
  readonly change: (changed: Partial<RoundValues>) => void
  /** What the server says about a field of the body, or about a part of it. */
  readonly errorAt: (field: string) => string | undefined
}

/** What a first round begins with. */
export function FirstStep(step: RoundStepProps): ReactNode {
  const { values, change, errorAt } = step
  const models = useEndpoint(listTrainableModels)
  const mayRead = reasonAgainst('owner_admin', useWorkspace()) === null
  const versions = useList(listModelVersions, { enabled: mayRead })
  const datasets = useList(listDatasets)
  const judges = useList(listCriteria, { query: { status: 'draft', unit: 'request' } })
  const data = datasets.rows.map(({ id, name, example_count: examples }) => ({
    value: id,
    label: `${name} (${count(examples)})`,
  }))
  const judgeData = judges.rows.map(({ id, name, can_act: canAct, trust }) => ({
    value: id,
    label: canAct ? name : `${name} · ${trust}, not proven`,
    disabled: !canAct,
  }))
  const versionData = trainableVersions(
    versions.rows.filter(({ serving }) => serving.provider !== null || serving.pool === 'ready'),
    models.data ?? [],
  )
  const field = (key: ChosenField, others: Partial<RoundValues> = {}) => ({
    value: values[key] === '' ? null : values[key],
    error: errorAt(key),
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
          data={(models.data ?? []).map(({ id }) => id)}
          {...field('baseModel', { modelVersionId: '' })}
        />
        <Select
          label="Or go on from a version"
          description="It answers, and its training goes on. Only versions that are served."
          clearable
          clearButtonProps={{ 'aria-label': 'No version' }}
          data={versionData}
          {...field('modelVersionId', { baseModel: '' })}
        />
        <PromptSource {...step}>
          <Select label="Dataset" description="Its prompts are answered." data={data} {...field('datasetId')} />
        </PromptSource>
        <Select
          label="Measured with"
          description="At least 32 prompts. By default the other side of the split, else a tenth."
          clearable
          clearButtonProps={{ 'aria-label': 'By default' }}
          data={data}
          {...field('evalDatasetId')}
        />
        <Select label="Judge" description="Only proven judges may choose." data={judgeData} {...field('criterionId')} />
        <Select
          label="Second judge"
          description="Has to pass an answer too: then far fewer wrong ones are kept."
          clearable
          clearButtonProps={{ 'aria-label': 'No second judge' }}
          data={judgeData}
          {...field('secondCriterionId')}
        />
      </div>
    </Card>
  )
}

type ChosenField = 'baseModel' | 'modelVersionId' | 'datasetId' | 'evalDatasetId' | 'criterionId' | 'secondCriterionId'

function PromptSource({ values, change, errorAt, children }: RoundStepProps & { readonly children: ReactNode }) {
  return (
    <>
      <div>
        <Text fw={500}>Prompts of</Text>
        <SegmentedControl
          aria-label="Prompts of"
          data={[
            { value: 'dataset', label: 'a dataset' },
            { value: 'log', label: 'the log' },
          ]}
          value={values.from}
          onChange={(from) => change({ from: from as RoundValues['from'] })}
        />
      </div>
      {values.from === 'dataset' ? (
        children
      ) : (
        <TextInput
          label="Tag"
          description="Only requests with this tag; without one, all. At most 2,000 prompts, chosen at random."
          maxLength={200}
          value={values.tag}
          error={errorAt('filters')}
          onChange={({ currentTarget }) => change({ tag: currentTarget.value })}
        />
      )}
    </>
  )
}

/** How many answers, how pure, and at which price. */
export function SettingFields({ values, change, errorAt }: RoundStepProps): ReactNode {
  const numberOf = (chosen: string | number, otherwise: number) => (typeof chosen === 'number' ? chosen : otherwise)
  return (
    <div className={styles.fields}>
      <NumberInput
        label="Answers to each prompt"
        min={3}
        max={64}
        allowDecimal={false}
        value={values.samplesPerPrompt}
        error={errorAt('samplesPerPrompt')}
        onChange={(chosen) => change({ samplesPerPrompt: numberOf(chosen, 8) })}
      />
      <NumberInput
        label="Least precision"
        description="Nothing is trained when fewer of the accepted answers may be right."
        suffix=" %"
        min={0}
        max={100}
        value={values.minPrecision}
        error={errorAt('minPrecision')}
        onChange={(chosen) => change({ minPrecision: numberOf(chosen, 85) })}
      />
      <NumberInput
        label="Replies of the dataset"
        description="Mixed in, so that a chain does not drift. Of prompts of the log, their logged replies."
        suffix=" %"
        min={0}
        max={50}
        allowDecimal={false}
        value={values.realDataPct}
        error={errorAt('realDataPct')}
        onChange={(chosen) => change({ realDataPct: numberOf(chosen, 10) })}
      />
      <MaxCostInput
        description="Answers, verdicts and training together."
        value={values.maxCostUsd}
        error={errorAt('maxCostUsd')}
        onChange={(maxCostUsd) => change({ maxCostUsd })}
      />
      <TextInput
        label="Name"
        maxLength={200}
        value={values.name}
        error={errorAt('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
    </div>
  )
}
