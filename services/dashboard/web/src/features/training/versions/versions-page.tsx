import { listModelVersions, type ModelVersion } from '@ratchet/contracts/model-versions'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { FilterBar } from '../../../kit/filters/filter-bar.tsx'
import { NextLink } from '../../../kit/next-link.tsx'
import { Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { TrainingTabs } from '../training-tabs.tsx'
import { aliasesText, producerText, stateOfStatus, versionTitle } from './version-words.ts'

const route = getRouteApi('/w/$slug/training/versions')
const filters: z.ZodObject = listModelVersions.query.pick({ status: true, base_model: true, produced_by: true })

export function VersionsPage(): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  return (
    <Page
      title="Model versions"
      lead="What training has made. A version is adopted while an alias sends requests to it, and every adoption asks for evidence."
      above={<TrainingTabs />}
    >
      {reason === null ? <Versions /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

function Versions(): ReactNode {
  const { slug } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/training/versions' })
  const versions = useList(listModelVersions, { query: search })
  return (
    <>
      <FilterBar
        schema={filters}
        values={search}
        onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ListTable
        label="Model versions"
        list={versions}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$slug/training/versions/$id', params: { slug, id } })}
        empty={
          <EmptyState
            title={Object.keys(search).length > 0 ? 'Nothing found' : 'No versions yet'}
            action={Object.keys(search).length === 0 && <NextLink to="training/jobs/new">Train a model</NextLink>}
          >
            {Object.keys(search).length > 0
              ? 'No version matches these filters.'
              : 'Each checkpoint of a fine-tuning job becomes a version.'}
          </EmptyState>
        }
      />
    </>
  )
}

const columns: readonly Column<ModelVersion>[] = [
  { id: 'name', header: 'Version', cell: (version) => <strong>{versionTitle(version)}</strong> },
  {
    id: 'status',
    header: 'Status',
    width: 130,
    cell: ({ status }) => <StateLabel state={stateOfStatus(status)}>{status}</StateLabel>,
  },
  { id: 'aliases', header: 'Aliases', cell: aliasesText, onPhone: false },
  { id: 'made', header: 'Made by', width: 150, cell: producerText, onPhone: false },
  { id: 'created', header: 'Created', width: 130, cell: ({ created_at: at }) => <TimeText at={at} />, onPhone: false },
]
