import { Checkbox } from '@mantine/core'
import { type ColumnDef, tableFeatures, useTable } from '@tanstack/react-table'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, type RefObject, useLayoutEffect, useMemo, useReducer, useRef } from 'react'
import { useSameItems } from '../use-same-items.ts'
import type { Column } from './column.ts'
import styles from './data-table.module.css'
import { type HeldRows, rowHeight, scrollAfter } from './scroll-after.ts'
import { usePageKeys } from './use-page-keys.ts'
import { type RowActions, useRowKeys } from './use-row-keys.ts'

export interface DataTableProps<Row> extends RowActions<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Keys of the selected rows, when rows can be selected. */
  readonly selected?: ReadonlySet<string>
  /** Called with the key of a row, and whether it is selected now. */
  readonly onSelect?: (key: string, isSelected: boolean) => void
  /** Rows of the list before `rows` that are not held any more; 0 by default. */
  readonly firstIndex?: number
  /** Reads the page before `rows`; absent when there is none. Called when the beginning of `rows` comes near. */
  readonly onEarlier?: (() => void) | undefined
  /** Reads the next page; absent when there is none. Called when the end of the list comes near. */
  readonly onMore?: (() => void) | undefined
  /** The rows of an older filter are shown while the new ones are loaded. */
  readonly isOld?: boolean
}

const features = tableFeatures({})
/** From this number of rows on, which a first page has, only those in sight are drawn. */
const virtualFrom = 100
/** Another page is read when fewer rows than these are beyond what is in sight. */
const nearEnd = 40

/**
 * A table with keys (`j`, `k`, `Enter`, `x`), of any length: rows out of sight are not drawn, and further pages are read as the end
 * comes near.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>): ReactNode {
  const { label, rows, firstIndex = 0, isOld = false } = props
  const columns = useSameItems(props.columns)
  const box = useRef<HTMLElement>(null)
  const definitions = useMemo(
    () => columns.map((column): ColumnDef<typeof features, Row> => ({ id: column.id, header: column.header })),
    [columns],
  )
  const table = useTable({ features, columns: definitions, data: rows as Row[] })
  const isVirtual = rows.length >= virtualFrom
  usePageKeys(box, isVirtual)
  return (
    <section
      ref={box}
      className={styles.box}
      data-virtual={isVirtual}
      data-old={isOld}
      aria-busy={isOld}
      // A long table scrolls in itself, so keys must reach it.
      {...(isVirtual ? { 'aria-label': label, tabIndex: 0 } : {})}
    >
      <table className={styles.table} aria-label={label} aria-rowcount={firstIndex + rows.length + 1}>
        <colgroup>
          {props.onSelect && <col style={{ width: 34 }} />}
          {columns.map(({ id, width, onPhone = true }) => (
            <col key={id} data-phone={onPhone} style={width === undefined ? undefined : { width }} />
          ))}
        </colgroup>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {props.onSelect && <th aria-label="Selected" />}
              {group.headers.map((header) => {
                const column = columns.find(({ id }) => id === header.column.id)
                return (
                  <th key={header.id} scope="col" data-numbers={column?.isNumber} data-phone={column?.onPhone ?? true}>
                    {column?.header}
                  </th>
                )
              })}
            </tr>
          ))}
        </thead>
        <Rows {...props} columns={columns} box={box} isVirtual={isVirtual} />
      </table>
    </section>
  )
}

interface RowsProps<Row> extends DataTableProps<Row> {
  readonly box: React.RefObject<HTMLElement | null>
  readonly isVirtual: boolean
}

function Rows<Row extends object>(props: RowsProps<Row>): ReactNode {
  const { rows, firstIndex = 0, rowKey, columns, selected, onOpen, onSelect, onMore, onEarlier, box, isVirtual } = props
  const acts = useNewest({ onOpen, onSelect })
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    enabled: isVirtual,
    onChange: ({ range }) => {
      if (range === null) return
      if (range.endIndex > rows.length - nearEnd) onMore?.()
      else if (range.startIndex < nearEnd) onEarlier?.()
    },
  })
  useStillRows(virtual, box, { firstIndex, count: rows.length })
  const keys = useRowKeys({ ...props, scrollTo: (index) => isVirtual && virtual.scrollToIndex(index) })
  const shown = isVirtual ? virtual.getVirtualItems().map(({ index }) => index) : rows.map((_, index) => index)
  const first = shown[0] ?? 0
  const last = shown.at(-1) ?? -1
  const cells = columns.length + (onSelect ? 1 : 0)
  return (
    <tbody>
      {isVirtual && <Gap rows={first} cells={cells} />}
      {shown.map((index) => {
        const row = rows[index]
        if (row === undefined) return null
        const key = rowKey(row)
        return (
          <TableRow
            key={key}
            rowId={key}
            row={row}
            index={firstIndex + index}
            columns={columns}
            isCurrent={keys.current === firstIndex + index}
            isSelected={onSelect && (selected?.has(key) ?? false)}
            opens={onOpen !== undefined}
            onPoint={keys.point}
            acts={acts}
          />
        )
      })}
      {isVirtual && <Gap rows={rows.length - 1 - last} cells={cells} />}
    </tbody>
  )
}

/** Keeps what is in sight where it is when rows above it are forgotten or come back. Another list begins at its first row. */
function useStillRows(
  virtual: Virtualizer<HTMLElement, Element>,
  box: RefObject<HTMLElement | null>,
  { firstIndex, count }: HeldRows,
): void {
  const before = useRef({ firstIndex, count })
  const [, drawAgain] = useReducer((times: number) => times + 1, 0)
  useLayoutEffect(() => {
    const top = scrollAfter(before.current, { firstIndex, count }, box.current?.scrollTop ?? 0)
    before.current = { firstIndex, count }
    if (top === null || box.current === null) return
    box.current.scrollTop = top
    // Its own event comes after the next frame, which would show other rows.
    virtual.scrollOffset = box.current.scrollTop
    drawAgain()
  }, [firstIndex, count, virtual, box])
}

interface RowActs<Row> {
  readonly onOpen: DataTableProps<Row>['onOpen'] | undefined
  readonly onSelect: DataTableProps<Row>['onSelect'] | undefined
}

interface TableRowProps<Row> {
  readonly rowId: string
  readonly row: Row
  readonly index: number
  readonly columns: readonly Column<Row>[]
  readonly isCurrent: boolean
  /** Undefined where rows cannot be selected. */
  readonly isSelected: boolean | undefined
  readonly opens: boolean
  readonly onPoint: (index: number) => void
  /** What the page does with a row, which may be another function each time. */
  readonly acts: RefObject<RowActs<Row>>
}

/** A row is drawn again when something in it has changed, and not because of a key or of details beside the list. */
const TableRow = memo(DrawnRow) as typeof DrawnRow

function DrawnRow<Row>(props: TableRowProps<Row>): ReactNode {
  const { rowId, row, index, columns, isCurrent, isSelected, opens, onPoint, acts } = props
  const open = (event: React.MouseEvent) => {
    // A dialog that a cell opens is not in the row, but React passes its clicks on to it.
    if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target)) return
    onPoint(index)
    if (event.target.closest('a, button, input, label')) return
    acts.current.onOpen?.(row, index)
  }
  return (
    <tr onClick={open} data-current={isCurrent} data-opens={opens} aria-rowindex={index + 2} id={`row-${rowId}`}>
      {isSelected !== undefined && (
        <td>
          <Checkbox
            checked={isSelected}
            onChange={({ currentTarget }) => acts.current.onSelect?.(rowId, currentTarget.checked)}
            aria-label={`Select row ${index + 1}`}
          />
        </td>
      )}
      {columns.map(({ id, cell, isNumber, onPhone = true }) => (
        <td key={id} data-numbers={isNumber} data-phone={onPhone}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}

/** The newest value, for code that runs after the page is drawn. */
function useNewest<T>(value: T): RefObject<T> {
  const newest = useRef(value)
  useLayoutEffect(() => {
    newest.current = value
  })
  return newest
}

/** Stands for rows that are not drawn. */
function Gap({ rows, cells }: { readonly rows: number; readonly cells: number }): ReactNode {
  if (rows <= 0) return null
  return (
    <tr style={{ height: rows * rowHeight }}>
      <td colSpan={cells} />
    </tr>
  )
}
