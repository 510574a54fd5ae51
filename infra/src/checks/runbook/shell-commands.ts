/** The words of one command. */
export type ShellCommand = readonly string[]

/** Finds every command in the fenced `sh` blocks of a document, and inline code that begins with a program of Ratchet. */
export function shellCommands(markdown: string): readonly ShellCommand[] {
  const found: ShellCommand[] = []
  let fence: string | null = null
  let hereDocument: string | null = null
  // A backslash at the end of a line continues the command on the next line.
  for (const text of markdown.replaceAll(/\\\n\s*/g, '').split('\n')) {
    const opened = /^```(\w*)\s*$/.exec(text)
    if (opened !== null) {
      fence = fence === null ? (opened[1] ?? '') : null
    } else if (hereDocument !== null) {
      if (text.trim() === hereDocument) hereDocument = null
    } else if (fence === 'sh') {
      hereDocument = /<<-?'?(\w+)'?\s*$/.exec(text)?.[1] ?? null
      found.push(...commandsOf(text))
    } else if (fence === null) {
      found.push(...inlineCommands(text))
    }
  }
  return found
}

function inlineCommands(text: string): readonly ShellCommand[] {
  const code = [...text.matchAll(/`([^`]+)`/g)].map(([, inside = '']) => inside)
  return code.filter((each) => /^(npx ratchet|npm run|npm start|npm stop) ?[^…<]*$/.test(each)).flatMap(commandsOf)
}

/** Words of the shell's grammar that may come before a command. */
const before = new Set(['do', 'then', '!'])
const noCommand = new Set(['for', 'done', 'fi', 'if', 'export'])

function commandsOf(line: string): readonly ShellCommand[] {
  const commands: string[][] = [[]]
  for (const token of tokens(line)) {
    if (/^(&&|\|\|?|;)$/.test(token)) commands.push([])
    else commands.at(-1)?.push(token)
  }
  return commands
    .map((words) => words.slice(words.findIndex((word) => !before.has(word))))
    .filter(([first]) => first !== undefined && !noCommand.has(first))
}

/** Splits a line into words and separators. Quoted text is one word; comments and redirections are dropped. */
function tokens(line: string): readonly string[] {
  const matches = line.matchAll(
    /\s*(?:(#.*)|(&&|\|\|?|;)|(\d?>>?|<<?-?)(?![\w-]+>)\s*(?:"[^"]*"|'[^']*'|\S+)|((?:"[^"]*"|'[^']*'|<[\w-]+>|[^\s;&|"'<>])+))/gy,
  )
  return [...matches].flatMap(([, comment, separator, redirection, word]) => {
    if (comment !== undefined || redirection !== undefined) return []
    return [separator ?? (word ?? '').replace(/^(["'])(.*)\1$/, '$2')]
  })
}
