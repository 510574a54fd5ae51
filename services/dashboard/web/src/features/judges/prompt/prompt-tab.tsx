import { Autocomplete, Button, Group, Input, TextInput } from '@mantine/core'
import { listCalibrationRows } from '@ratchet/contracts/calibrations'
import { getCriterion, listCriteria, updateCriterion } from '@ratchet/contracts/criteria'
import { listModels } from '@ratchet/contracts/models'
import { listCriterionEvents } from '@ratchet/contracts/session-criteria'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Card, Column } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { CodeEditor } from '../../../kit/text/lazy.tsx'
import { toast } from '../../../kit/toast.tsx'
import { type CheckDraft, draftOf, readDrafts } from '../checks/check-draft.ts'
import { ChecksEditor } from '../checks/checks-editor.tsx'
import { Population } from '../create/judge-fields.tsx'
import { useJudge } from '../detail/judge-context.ts'
import { PromptHistory } from './prompt-history.tsx'
import { changedChecks, changedFields, withExample } from './prompt-values.ts'
import { VoidWarning } from './void-warning.tsx'

const route = getRouteApi('/w/$slug/judges/$judge/prompt')

/** The prompt, model or checks, and population of a judge, with what they were before. */
export function PromptTab(): ReactNode {
  const { example, calibration } = route.useSearch()
  if (example !== undefined && calibration !== undefined) {
    return <WithExample labelId={example} calibrationId={calibration} />
  }
  return <PromptForm example={null} />
}

/** Opens the editor with an answer on which the judge was wrong. Nothing is saved by itself. */
function WithExample(props: { readonly labelId: string; readonly calibrationId: string }): ReactNode {
  const { id } = useJudge()
  const params = { id, calibration_id: props.calibrationId }
  const rows = useEndpoint(listCalibrationRows, { params, query: { limit: 200 } })
  return (
    <Loaded query={rows}>
      {({ data }) => <PromptForm example={data.find((row) => row.label_id === props.labelId) ?? null} />}
    </Loaded>
  )
}

type Example = Parameters<typeof withExample>[1] | null

function PromptForm({ example }: { readonly example: Example }): ReactNode {
  const judge = useJudge()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const models = useEndpoint(listModels).data?.data.map(({ id }) => id) ?? []
  const [values, setValues] = useState({
    name: judge.name,
    judge_prompt: example === null ? judge.judge_prompt : withExample(judge.judge_prompt, example),
    judge_model: judge.judge_model,
    population: judge.population,
    population_family: judge.population_family,
  })
  const [drafts, setDrafts] = useState<readonly CheckDraft[] | null>(() => judge.checks?.map(draftOf) ?? null)
  const checks = drafts === null ? null : readDrafts(drafts)
  const set = (name: keyof typeof values, value: string) => setValues((before) => ({ ...before, [name]: value }))
  const body = { ...changedFields(judge, values), ...changedChecks(judge, checks) }
  const voids = Object.keys(body).some((name) => name !== 'name')
  const act = useAct(updateCriterion, {
    changes: [getCriterion, listCriteria, listCriterionEvents],
    onDone: () => toast('The judge is saved.'),
  })
  const isSame = Object.keys(body).length === 0 || (drafts !== null && checks === null)
  const save = () => act.mutate({ params: { id: judge.id }, body })
  useKey('submit', save, { enabled: reason === null && !isSame })
  return (
    <>
      <Card>
        <Column>
          <TextInput
            label="Name"
            value={values.name}
            onChange={({ currentTarget }) => set('name', currentTarget.value)}
          />
          <div>
            <Input.Label labelElement="div" aria-hidden="true">
              An answer fails when
            </Input.Label>
            <CodeEditor
              label="An answer fails when"
              value={values.judge_prompt}
              onChange={(text) => set('judge_prompt', text)}
            />
          </div>
          {drafts === null ? (
            <Autocomplete
              label="Model"
              data={models}
              limit={50}
              value={values.judge_model}
              onChange={(value) => set('judge_model', value)}
            />
          ) : (
            <ChecksEditor drafts={drafts} onChange={setDrafts} showsProblems />
          )}
          <Population tag={values.population} segment={values.population_family} set={set} />
          {voids && <VoidWarning />}
          {act.error && <ErrorState error={act.error} />}
          <Group gap={8}>
            <NotPermitted reason={reason}>
              {(disabled) => (
                <Button disabled={disabled || isSame} loading={act.isPending} onClick={save}>
                  Save
                </Button>
              )}
            </NotPermitted>
          </Group>
        </Column>
      </Card>
      <PromptHistory criterionId={judge.id} />
    </>
  )
}
