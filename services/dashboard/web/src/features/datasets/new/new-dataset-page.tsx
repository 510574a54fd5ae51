import { Button, Stack, TextInput } from '@mantine/core'
import { curateFromLogs, type DatasetCuration, DatasetName, listDatasets } from '@ratchet/contracts/datasets'
import { previewDataset } from '@ratchet/contracts/log-overview'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { usePostedRead } from '../../../api/use-posted-read.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AboveList } from '../../../kit/above.tsx'
import { FilterBar } from '../../../kit/filters/filter-bar.tsx'
import { Card, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { toast } from '../../../kit/toast.tsx'
import { type CurationValues, curationBody, firstCuration } from './curation-values.ts'
import { JudgeChoice } from './judge-choice.tsx'
import { NewDatasetSearch } from './new-dataset-search.ts'
import { OptionStep } from './option-step.tsx'
import { PreviewPart } from './preview-part.tsx'

const route = getRouteApi('/w/$slug/datasets/new')

/** A dataset from the log: which exchanges, with which verdict, how they become examples, and what that keeps and drops. */
export function NewDatasetPage(): ReactNode {
  const { slug } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/datasets/new' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [values, setValues] = useState<CurationValues>(firstCuration)
  const [name, setName] = useState('')
  const change = (changed: Partial<CurationValues>) => setValues((before) => ({ ...before, ...changed }))
  const body = curationBody(values, search)
  const preview = usePostedRead(previewDataset, reason === null ? body : null)
  const open = ({ dataset }: DatasetCuration) => {
    if (dataset === null) return
    toast(`The dataset ${dataset.name} is created.`)
    void navigate({ to: '/w/$slug/datasets/$id', params: { slug, id: dataset.id } })
  }
  const act = useAct(curateFromLogs, { changes: [listDatasets], onDone: open })
  const hasName = DatasetName.safeParse(name).success
  const isEmpty = preview.data !== undefined && preview.data.summary.train_count === 0
  const mayCreate = reason === null && hasName && !isEmpty && preview.isSettled && !preview.isPlaceholderData
  const create = () => mayCreate && act.mutate({ body: { ...body, name } })
  useKey('submit', create, { enabled: mayCreate })
  return (
    <Page
      title="New dataset"
      lead="Exchanges of the log become examples. What cannot be one is dropped, and counted by its reason."
      above={<AboveList of="datasets" />}
    >
      <Card title="1. Exchanges">
        <FilterBar
          schema={NewDatasetSearch}
          values={search}
          onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
        />
      </Card>
      <JudgeChoice values={values} change={change} />
      <OptionStep values={values} change={change} />
      <Card title="4. What that keeps">
        {reason !== null ? (
          <p className="dimmed">{reason}</p>
        ) : (
          <Loaded query={preview}>
            {(found) => <PreviewPart preview={found} criterionId={values.criterionId} isOld={!preview.isSettled} />}
          </Loaded>
        )}
      </Card>
      <Card title="5. Create">
        <Stack gap={12} align="flex-start">
          <TextInput
            label="Name"
            required
            maxLength={200}
            w="min(420px, 100%)"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          {act.error && <ErrorState error={act.error} />}
          <NotPermitted reason={reason ?? (isEmpty ? 'No example would be left.' : hasName ? null : 'Give it a name.')}>
            {(disabled) => (
              <Button disabled={disabled || !mayCreate} loading={act.isPending} onClick={create}>
                Create the dataset
              </Button>
            )}
          </NotPermitted>
        </Stack>
      </Card>
    </Page>
  )
}
