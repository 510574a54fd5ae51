import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTypedText } from '../../kit/filters/use-typed-text.ts'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import type { Column } from '../../kit/table/column.ts'
import { ListTable } from '../../kit/table/list-table.tsx'
import { FreshOnly } from './fresh-only.tsx'

interface AdminListProps<Row extends object> {
  readonly label: string
  readonly query: {
    readonly list: Parameters<typeof ListTable<Row>>[0]['list']
    readonly signInAgain: (() => void) | null
  }
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  readonly search: string | undefined
  readonly onSearch: (search: string | undefined) => void
}

/** A list of the installation with a search. */
export function AdminList<Row extends object>(props: AdminListProps<Row>): ReactNode {
  const { label, query, columns, rowKey, search, onSearch } = props
  const typed = useTypedText(search ?? '', (text) => onSearch(text === '' ? undefined : text))
  return (
    <>
      <TextInput
        aria-label="Part of a name or an address"
        placeholder="Part of a name or an address"
        value={typed.text}
        maw={320}
        onChange={({ currentTarget }) => typed.setText(currentTarget.value)}
        onBlur={typed.send}
        onKeyDown={({ key }) => key === 'Enter' && typed.send()}
      />
      <FreshOnly signInAgain={query.signInAgain}>
        <ListTable
          label={label}
          list={query.list}
          columns={columns}
          rowKey={rowKey}
          empty={<EmptyState title="Nothing found">Nothing has this in its name or address.</EmptyState>}
        />
      </FreshOnly>
    </>
  )
}
