import { Button, NumberInput, Select, TextInput } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import { listDatasets } from '@ratchet/contracts/datasets'
import { listTrainableModels } from '@ratchet/contracts/fine-tuning-models'
import { listRaftRounds } from '@ratchet/contracts/raft'
import { startRaftRound } from '@ratchet/contracts/session-raft'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AboveList } from '../../../kit/above.tsx'
import { count } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { MaxCostInput } from '../max-cost-input.tsx'
import styles from '../training.module.css'
import { bodyOf, missingText, newRoundValues, type RoundValues } from './round-values.ts'

const route = getRouteApi('/w/$slug/training/raft/new')

/** A new round, or the next one of a chain. */
export function NewRoundPage(): ReactNode {
  const { slug } = route.useParams()
  const { round_id: continueFrom = null } = route.useSearch() as { round_id?: string }
  const navigate = useNavigate({ from: '/w/$slug/training/raft/new' })
  const [values, setValues] = useState<RoundValues>(newRoundValues)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(startRaftRound, {
    changes: [listRaftRounds],
    onDone: ({ id }) => void navigate({ to: '/w/$slug/training/raft/$id', params: { slug, id } }),
  })
  const change = (changed: Partial<RoundValues>) => {
    if (!act.isPending) act.reset()
    setValues((before) => ({ ...before, ...changed }))
  }
  const body = bodyOf(values, continueFrom)
  const missing = missingText(values, continueFrom)
  const mayStart = reason === null && body !== null && !act.isPending
  const start = () => {
    if (body !== null && mayStart) act.mutate({ body })
  }
  useKey('submit', start, { enabled: mayStart })
  const param = act.error instanceof ApiError ? act.error.param : null
  const errorAt = (field: string) => (param === field ? act.error?.message : undefined)
  return (
    <Page
      title={continueFrom === null ? 'New round' : 'Next round'}
      lead="Every answer is asked for once, and judged by judges that are proven. What they accept is trained on only if it is pure enough."
      above={<AboveList of="training/raft" />}
    >
      <div className={styles.parts}>
        {continueFrom === null ? (
          <FirstStep values={values} change={change} errorAt={errorAt} />
        ) : (
          <Notice state="none">
            Model, prompts and judges are those of the chain. The version of the last round answers, if it was better
            than what it came from.
          </Notice>
        )}
        <SettingsStep values={values} change={change} errorAt={errorAt} />
        {act.error !== null && <ErrorState error={act.error} />}
        <div>
          {missing !== null && <p className="dimmed">{missing}</p>}
          <NotPermitted reason={reason}>
            {(disabled) => (
              <Button disabled={disabled || !mayStart} loading={act.isPending} onClick={start}>
                Start the round
              </Button>
            )}
          </NotPermitted>
        </div>
      </div>
    </Page>
  )
}

interface StepProps {
  readonly values: RoundValues
  readonly change: (changed: Partial<RoundValues>) => void
  readonly errorAt: (field: string) => string | undefined
}

function FirstStep({ values, change, errorAt }: StepProps): ReactNode {
  const models = useEndpoint(listTrainableModels)
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
  const field = (key: 'baseModel' | 'datasetId' | 'evalDatasetId' | 'criterionId' | 'secondCriterionId') => ({
    value: values[key] === '' ? null : values[key],
    error: errorAt(key),
    searchable: true,
    comboboxProps: { withinPortal: false },
    onChange: (chosen: string | null) => change({ [key]: chosen ?? '' }),
  })
  return (
    <Card title="1. Model, prompts and judges">
      <FailedReads of={[models, datasets, judges]} />
      <div className={styles.fields}>
        <Select label="Model" data={(models.data ?? []).map(({ id }) => id)} {...field('baseModel')} />
        <Select label="Dataset" description="Its prompts are answered." data={data} {...field('datasetId')} />
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

function SettingsStep({ values, change, errorAt }: StepProps): ReactNode {
  const numberOf = (chosen: string | number, otherwise: number) => (typeof chosen === 'number' ? chosen : otherwise)
  return (
    <Card title="2. Settings and cost">
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
          description="Mixed in, so that a chain does not drift."
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
    </Card>
  )
}
