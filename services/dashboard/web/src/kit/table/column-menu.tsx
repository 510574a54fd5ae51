import { ActionIcon, Checkbox, Popover, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../icon.tsx'
import { type Column, chosenColumns, withColumn } from './column.ts'

interface ColumnMenuProps<Row> {
  readonly columns: readonly Column<Row>[]
  /** The search parameter `columns` of the page. */
  readonly chosen: string | undefined
  readonly onChoose: (chosen: string | undefined) => void
}

/** Chooses the columns of a table. */
export function ColumnMenu<Row>({ columns, chosen, onChoose }: ColumnMenuProps<Row>): ReactNode {
  const shown = chosenColumns(columns, chosen)
  return (
    <Popover position="bottom-end" shadow="sm" trapFocus>
      <Popover.Target>
        <ActionIcon variant="default" size={30} aria-label="Choose columns">
          <Icon name="columns" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap={8}>
          {columns.map((column) => (
            <Checkbox
              key={column.id}
              label={column.header}
              checked={shown.includes(column)}
              disabled={column.isFixed ?? false}
              onChange={({ currentTarget }) => onChoose(withColumn(columns, chosen, column.id, currentTarget.checked))}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
