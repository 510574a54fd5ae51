import { Radio, Select, Stack, Text } from '@mantine/core'
import { fineTuningMethods, type listTrainableModels, type TrainableModel } from '@ratchet/contracts/fine-tuning-models'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { Figures } from '../figures.tsx'
import { methodFor, priceText, waitText } from './model-words.ts'
import type { StepProps } from './step-props.ts'

interface ModelStepProps extends StepProps {
  readonly models: UseQueryResult<(typeof listTrainableModels)['reply']['_output']>
}

/** The model that is trained, how, and what that costs. */
export function ModelStep({ values, change, problems, model, models }: ModelStepProps): ReactNode {
  const all = models.data ?? []
  const choose = (id: string | null) => {
    const next = all.find((each) => each.id === id)
    change({ model: id ?? '', ...(next ? { method: methodFor(next, values.method), ...fitting(next) } : {}) })
  }
  return (
    <Card title="1. Model">
      <Stack gap={12}>
        {models.error && <ErrorState error={models.error} onRetry={() => void models.refetch()} />}
        {models.data?.length === 0 && (
          <Notice state="none">No trainer of this installation offers a model, so no job can be created.</Notice>
        )}
        <Select
          label="Model"
          searchable
          maw={420}
          placeholder={models.isPending ? 'Loading' : 'Choose'}
          data={all.map(({ id }) => id)}
          value={values.model === '' ? null : values.model}
          error={problems.model}
          onChange={choose}
          comboboxProps={{ withinPortal: false }}
        />
        <Radio.Group
          label="Method"
          value={values.method}
          error={problems.method}
          onChange={(method) => change({ method: method as typeof values.method })}
        >
          <Stack gap={8} mt={6}>
            {fineTuningMethods.map((method) => (
              <Radio
                key={method}
                value={method}
                disabled={model !== null && !model.methods.includes(method)}
                label={labels[method]}
                description={
                  model === null ? descriptions[method] : `${descriptions[method]} ${priceText(model, method)}`
                }
              />
            ))}
          </Stack>
        </Radio.Group>
        {model !== null && <About model={model} />}
      </Stack>
    </Card>
  )
}

const labels = { supervised: 'On answers (supervised)', dpo: 'On pairs of a better and a worse answer (DPO)' } as const
const descriptions = {
  supervised: 'The model learns to answer as the examples do.',
  dpo: 'The model learns to prefer one answer over the other.',
} as const

/** Settings of another model that this one does not have. */
function fitting({ full, trainers }: TrainableModel) {
  return { ...(full ? {} : { training: 'lora' as const }), ...(trainers.length > 1 ? {} : { trainer: '' }) }
}

function About({ model }: { readonly model: TrainableModel }): ReactNode {
  return (
    <>
      <Figures
        label={`About ${model.id}`}
        figures={[
          ['Longest example', `${count(model.max_context)} tokens`],
          ['Calls of tools', model.supports_tools ? 'yes' : 'no'],
          ['License', model.license],
          ['Trainer', model.trainers.join(', ')],
        ]}
      />
      <Text c="dimmed">{waitText(model)}</Text>
    </>
  )
}
