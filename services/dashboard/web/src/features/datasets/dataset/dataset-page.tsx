import { Button, Group, Text } from '@mantine/core'
import { type Dataset, deleteDataset, getDataset, listDatasets } from '@ratchet/contracts/datasets'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { bytesText, count, countOf } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { formatText, kindText, sourceText } from '../words.ts'
import { Building } from './building.tsx'
import { Examples } from './examples.tsx'
import { Exports } from './exports.tsx'
import { UsedBy } from './used-by.tsx'

/** Between two looks at a dataset that is being made, milliseconds. */
const pollMs = 3_000

const route = getRouteApi('/w/$slug/datasets/$id')

export function DatasetPage(): ReactNode {
  const { slug, id } = route.useParams()
  const found = useEndpoint(getDataset, { params: { id } })
  usePolling(found.refetch, found.data?.status === 'building', pollMs)
  return (
    <Page
      title={found.data?.name ?? 'Dataset'}
      lead={found.data?.description ?? <CopyText text={id} label="Copy the id of the dataset" />}
      above={<AboveList of="datasets" />}
      actions={found.data && <Actions dataset={found.data} slug={slug} />}
    >
      <Loaded query={found}>
        {(dataset) => (
          <div style={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 16 }}>
            <Provenance dataset={dataset} slug={slug} />
            {dataset.progress !== null && <Building dataset={dataset} progress={dataset.progress} />}
            {dataset.status === 'ready' && (
              <>
                <Card title="Download">
                  <Exports dataset={dataset} />
                </Card>
                <UsedBy id={id} slug={slug} />
                <Card title={countOf(dataset.example_count, 'example')}>
                  <Examples id={id} />
                </Card>
              </>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

interface PartProps {
  readonly dataset: Dataset
  readonly slug: string
}

/** Where its examples come from, and the hash by which a copy is recognised. */
function Provenance({ dataset, slug }: PartProps): ReactNode {
  const { filters, criterion_id: criterion, sibling_id: sibling, holdout_pct: holdout, segments } = dataset
  const set = Object.entries(filters).map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
  const other = dataset.kind === 'train' ? 'The held out examples' : 'The training examples'
  return (
    <Card title="Where it comes from">
      <Facts
        facts={[
          ['For', kindText(dataset)],
          ['From', sourceText(dataset)],
          ['Examples', formatText(dataset)],
          ...(dataset.source === 'logs' || dataset.source === 'distill'
            ? [['Filters', set.length === 0 ? 'none' : set.join(', ')] as const]
            : []),
          ...(criterion === null
            ? []
            : [
                [
                  'Judge',
                  <Link key="judge" to="/w/$slug/judges/$judge" params={{ slug, judge: criterion }}>
                    {criterion}
                  </Link>,
                ] as const,
              ]),
          ['Segments', segments.length === 0 ? 'none' : segments.join(', ')],
          ...(holdout === null || holdout === 0 ? [] : [['Held out', `${holdout} %`] as const]),
          ...(sibling === null
            ? []
            : [
                [
                  'Other side',
                  <Link key="sibling" to="/w/$slug/datasets/$id" params={{ slug, id: sibling }}>
                    {other}
                  </Link>,
                ] as const,
              ]),
          ['Size', `${bytesText(dataset.size_bytes)}, about ${count(dataset.token_count_estimate)} tokens`],
          ...(dataset.sha256 === ''
            ? []
            : [['SHA-256', <CopyText key="hash" text={dataset.sha256} label="Copy the hash" />] as const]),
          ['Created', <TimeText key="at" at={dataset.created_at} />],
        ]}
      />
    </Card>
  )
}

function Actions({ dataset, slug }: PartProps): ReactNode {
  const { id, name } = dataset
  const [deletes, setDeletes] = useState(false)
  const navigate = useNavigate()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(deleteDataset, {
    changes: [listDatasets],
    onDone: () => void navigate({ to: '/w/$slug/datasets', params: { slug }, search: {} }),
  })
  return (
    <Group gap={12}>
      {dataset.status === 'ready' && (
        <Link to="/w/$slug/evals/new" params={{ slug }} search={{ source: 'dataset', dataset_id: id }}>
          Compare models on it
        </Link>
      )}
      {dataset.status === 'ready' && dataset.kind === 'train' && dataset.format !== 'prompts' && (
        <Link to="/w/$slug/training/jobs/new" params={{ slug }} search={{ dataset_id: id }}>
          Train a model on it
        </Link>
      )}
      <NotPermitted reason={reason}>
        {(disabled) => (
          <Button variant="subtle" color="red" disabled={disabled} onClick={() => setDeletes(true)}>
            Delete
          </Button>
        )}
      </NotPermitted>
      <Confirm
        opened={deletes}
        onClose={() => setDeletes(false)}
        title={`Delete the dataset ${name}?`}
        verb="Delete"
        isRunning={act.isPending}
        error={act.error}
        onConfirm={() => act.mutate({ params: { id } })}
      >
        {dataset.status === 'building' && <Text>Nothing more is asked for it; what was paid remains paid.</Text>}
        <Text>Its examples are deleted for ever. The other side of a split is kept.</Text>
      </Confirm>
    </Group>
  )
}
