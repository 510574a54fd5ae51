/** A Markdown table, its columns padded so that it is readable in a terminal too. The first line is the head. */
export function renderTable(lines: readonly (readonly string[])[]): string[] {
  const [heads = []] = lines
  const widths = heads.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)))
  const [head = '', ...body] = lines.map(
    (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body]
}
