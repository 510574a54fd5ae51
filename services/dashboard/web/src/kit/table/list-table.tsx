import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from '../states/error-state.tsx'
import { RowsSkeleton } from '../states/skeletons.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'

/** What `useList` returns, as far as a table needs it. */
interface ListQuery<Row> {
  readonly rows: readonly Row[]
  readonly error: unknown
  readonly isPending: boolean
  readonly isPlaceholderData: boolean
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
  readonly hasPreviousPage: boolean
  readonly isFetchingPreviousPage: boolean
  readonly fetchPreviousPage: () => unknown
  readonly firstIndex: number
  readonly refetch: () => unknown
}

interface ListTableProps<Row>
  extends Omit<DataTableProps<Row>, 'rows' | 'firstIndex' | 'onMore' | 'onEarlier' | 'isOld'> {
  readonly list: ListQuery<Row>
  /** Shown instead of a table without rows. */
  readonly empty: ReactNode
}

/** A table of a list of the API: loading, error, emptiness, further pages. */
export function ListTable<Row extends object>({ list, empty, ...table }: ListTableProps<Row>): ReactNode {
  const { rows, firstIndex, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage } = list
  const isReading = isFetchingNextPage || list.isFetchingPreviousPage
  if (isPending) return <RowsSkeleton />
  if (error !== null && rows.length === 0) return <ErrorState error={error} onRetry={() => void list.refetch()} />
  if (rows.length === 0) return empty
  const onMore = hasNextPage && !isReading ? () => void list.fetchNextPage() : undefined
  const onEarlier = list.hasPreviousPage && !isReading ? () => void list.fetchPreviousPage() : undefined
  return (
    <>
      {error !== null && <ErrorState error={error} onRetry={() => void list.refetch()} />}
      <DataTable
        {...table}
        rows={rows}
        firstIndex={firstIndex}
        onMore={onMore}
        onEarlier={onEarlier}
        isOld={isPlaceholderData}
      />
      {hasNextPage && (
        <div>
          <Button variant="default" loading={isFetchingNextPage} onClick={onMore}>
            Show more
          </Button>
        </div>
      )}
    </>
  )
}
