import { Select } from '@mantine/core'
import { type FailureCause, failureCauseNames, failureCauses } from '@ratchet/contracts/failure-causes'
import { type FailedRequest, type FailureGroup, listFailedRequests } from '@ratchet/contracts/failures'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useList } from '../../api/use-endpoint.ts'
import { CopyText } from '../../kit/copy-text.tsx'
import { outcomeText } from '../../kit/outcome-text.ts'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import type { Column } from '../../kit/table/column.ts'
import { ListTable } from '../../kit/table/list-table.tsx'
import { duration } from '../../kit/time.ts'
import { TimeText } from '../../kit/time-text.tsx'
import styles from './failures.module.css'
import { rowsQueryOf } from './rows-query.ts'
import { useGroupCauses } from './use-group-causes.ts'

const route = getRouteApi('/w/$slug/logs/failures')

interface FailedRequestsProps {
  readonly groupBy: FailureGroup
  readonly group: string
  readonly from: string
  readonly keyNames: ReadonlyMap<string, string>
}

/** The requests of a group. Rows are read by cause, so a group that is none has a choice of causes. */
export function FailedRequests({ groupBy, group, from, keyNames }: FailedRequestsProps): ReactNode {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/logs/failures' })
  const query = rowsQueryOf(groupBy, group, from)
  const isCause = groupBy === 'cause'
  const causes = useGroupCauses(query, from, !isCause)
  const cause = (isCause ? group : (search.cause ?? causes[0] ?? failureCauseNames[0])) as FailureCause
  const rows = useList(listFailedRequests, { params: { cause }, query, enabled: cause in failureCauses })
  return (
    <div className={styles.rows}>
      {!isCause && (
        <Select
          label="Cause"
          allowDeselect={false}
          data={withChosen(causes, cause).map((value) => ({ value, label: outcomeText(value) }))}
          value={cause}
          onChange={(next) =>
            next !== null && void navigate({ search: (before) => ({ ...before, cause: next as FailureCause }) })
          }
        />
      )}
      <p>{failureCauses[cause]}</p>
      <ListTable
        label="Failed requests"
        list={rows}
        columns={columnsOf(keyNames)}
        rowKey={({ request_id: id }) => id}
        empty={
          <EmptyState title="No rows">
            {isCause
              ? 'Rows are stored for 30 days, and not each of them when very many requests fail at once.'
              : 'No row of this group has this cause. Rows are not kept of each request when very many fail at once.'}
          </EmptyState>
        }
      />
    </div>
  )
}

function withChosen(causes: readonly FailureCause[], chosen: FailureCause): readonly FailureCause[] {
  return causes.includes(chosen) ? causes : [...causes, chosen]
}

type Row = z.output<typeof FailedRequest>

function columnsOf(keyNames: ReadonlyMap<string, string>): readonly Column<Row>[] {
  return [
    { id: 'at', header: 'When', cell: ({ at }) => <TimeText at={at} />, width: 110 },
    {
      id: 'what',
      header: 'Request',
      cell: (row) => (
        <div className={styles.message}>
          <div>{row.message}</div>
          <div className="dimmed">{factsOf(row, keyNames)}</div>
          <CopyText text={row.request_id} label="Copy the id of the request" />
        </div>
      ),
    },
  ]
}

/** What is known about a request, in one line. */
function factsOf(row: Row, keyNames: ReadonlyMap<string, string>): string {
  const key = row.key_id === null ? null : (keyNames.get(row.key_id) ?? row.key_id)
  const facts = [
    row.model === '' ? null : row.model,
    row.alias === null ? null : `alias ${row.alias}`,
    row.provider === null ? null : `at ${row.provider}`,
    row.upstream_status === null ? null : `status ${row.upstream_status} of the provider`,
    row.tries > 1 ? `${row.tries} tries` : null,
    duration(row.latency_ms),
    row.tag === null ? null : `tag ${row.tag}`,
    row.trace_id === null ? null : `trace ${row.trace_id}`,
    key === null ? null : `key ${key}`,
    row.error_code,
  ]
  return facts.filter((fact) => fact !== null).join(' · ')
}
