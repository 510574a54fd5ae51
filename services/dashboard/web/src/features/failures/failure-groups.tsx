import type { ReactNode } from 'react'
import { CopyText } from '../../kit/copy-text.tsx'
import { count, percent } from '../../kit/numbers.ts'
import type { Column } from '../../kit/table/column.ts'
import { DataTable } from '../../kit/table/data-table.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import type { FailuresReply } from './failure-pictures.tsx'
import styles from './failures.module.css'
import { trendText } from './trend.ts'

type Group = FailuresReply['groups'][number]

interface FailureGroupsProps {
  readonly failures: FailuresReply
  readonly header: string
  readonly nameOf: (group: string | null) => string
  /** Lists the requests of a group. */
  readonly onOpen: ((group: string) => void) | undefined
}

/** Failed requests by group. The total is the same for every grouping. */
export function FailureGroups({ failures, header, nameOf, onOpen }: FailureGroupsProps): ReactNode {
  const { groups, others, failed } = failures
  if (failed === 0) return null
  const open = onOpen && (({ group }: Group) => group !== null && onOpen(group))
  return (
    <>
      <DataTable
        label={`Failed requests by ${header.toLowerCase()}`}
        columns={columnsOf(failures, header, nameOf)}
        rows={groups}
        rowKey={({ group }) => group ?? ''}
        onOpen={open}
      />
      <p>
        <strong>{count(failed)}</strong> failed in total
        {others !== null && `, of them ${count(others.failed)} in ${count(others.groups)} smaller groups`}.
        {open !== undefined && groups.some(({ group }) => group !== null) && ' Open a row to list its requests.'}
        {groups.some(({ group }) => group === null) && ` The row “${nameOf(null)}” has no list.`}
      </p>
    </>
  )
}

function columnsOf(
  { group_by: groupBy, failed, series, from, to }: FailuresReply,
  header: string,
  nameOf: FailureGroupsProps['nameOf'],
): readonly Column<Group>[] {
  const advice: Column<Group> = {
    id: 'advice',
    header: 'What to do',
    onPhone: false,
    cell: ({ what_to_do: what }) => <div className={styles.message}>{what}</div>,
  }
  const trend: Column<Group> = {
    id: 'trend',
    header: 'Trend',
    onPhone: false,
    cell: ({ group }) => (group === null ? '–' : trendText(series, group, { from, to })),
  }
  return [
    { id: 'name', header, cell: ({ group }) => nameOf(group) },
    { id: 'failed', header: 'Failed', isNumber: true, cell: (group) => count(group.failed) },
    { id: 'share', header: 'Share', isNumber: true, cell: (group) => percent(group.failed / failed) },
    { id: 'first', header: 'First', onPhone: false, cell: ({ first_at: at }) => <TimeText at={at} /> },
    { id: 'last', header: 'Last', cell: ({ last_at: at }) => <TimeText at={at} /> },
    ...(groupBy === 'cause' ? [trend, advice] : []),
    {
      id: 'request',
      header: 'Last request',
      onPhone: false,
      cell: ({ last_request_id: id }) => <CopyText text={id} label="Copy the id of the request" />,
    },
  ]
}
