import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const TOOLS = `You have these tools:
- search: find pages on the web
- calculator: evaluate an expression
- read_file: read a file from the workspace`

const environment = (v: Values) =>
  `<environment>\nOS: linux\nWorking directory: /home/${v.first().toLowerCase()}/${v.noun()}\nDate: ${v.date()}\nSession: ${v.id()}\n</environment>`

export const AGENTS: readonly PromptFamily[] = [
  (v) =>
    `You are an autonomous research agent. ${TOOLS}\n\nThink step by step. Stop after ${v.int(5, 30)} tool calls. Today's date: ${v.date()}.`,
  (v) =>
    `You are a planning agent. Break the goal into steps and hand each step to a worker. Never execute a step yourself.\n\nCurrent time: ${v.date()} 1${v.int(0, 9)}:${v.int(10, 59)}\nUser: ${v.name()}\nRun id: ${v.id()}`,
  (v) =>
    `You are a browser agent. You see a list of elements and choose one action: click, type or scroll. Return the action as JSON.\n\nCurrent page: ${v.url()}\nPage content:\n${v.prose(1, 25)}`,
  (v) =>
    `You are a scheduling agent for ${v.name()}. Find free slots and propose at most three.\n\nCalendar events:\n${v.many(1, 9, () => `- ${v.date()}: ${v.noun()} with ${v.name()}`, '\n')}`,
  (v) => `You are a data agent. ${TOOLS}\n\nWrite SQL, run it and explain the result.\n${environment(v)}`,
  (v) =>
    `You are the supervisor of a team of agents. Decide who speaks next: researcher, writer or critic. Reply with the name only.\n\nConversation history:\n${v.many(1, 12, () => `${v.first()}: ${v.sentence()}`, '\n')}`,
  (v) =>
    `You are a voice agent that calls patients to remind them of appointments. You are calling ${v.name()} at ${v.int(100, 999)}-555-0${v.int(100, 199)}. The appointment is on ${v.date()} in ${v.city()}. Speak slowly and never leave medical details on voicemail.`,
  (v) =>
    `You are a memory manager. Decide which facts about the user to keep, update or delete.\n\nMemories:\n${v.json(['likes', 'works_at', 'lives_in', 'pet', 'birthday', 'diet', 'goal'])}`,
]

export const CODING: readonly PromptFamily[] = [
  (v) =>
    `You are an expert Python developer. Review the code and list bugs by severity.\n\n\`\`\`python\n${v.code()}\n\`\`\``,
  (v) =>
    `You are an expert TypeScript developer. Review the code and list bugs by severity.\n\n\`\`\`ts\n${v.code()}\n\`\`\``,
  (v) =>
    `You are a coding agent in the terminal of ${v.first()}. Make the smallest change that passes the tests. Never touch generated files.\n${environment(v)}`,
  (v) => `Write a commit message for the following diff. Use the imperative mood.\n\nDiff:\n${v.code()}`,
  (v) =>
    `You complete code. Continue at the cursor and return only code.\nFile: src/${v.noun()}/${v.noun()}.ts\nRepository: ${v.url()}\n<code>\n${v.code()}\n</code>`,
  (v) =>
    `Explain this stack trace to a beginner and propose one fix.\n\nLog:\n${v.many(2, 9, () => `  at ${v.noun()} (/srv/${v.noun()}.js:${v.int(1, 999)}:${v.int(1, 80)})`, '\n')}`,
  (v) =>
    `Convert the SQL query to an ORM call. Keep the column order. Database version: ${v.int(11, 18)}.${v.int(0, 9)}`,
  (v) =>
    `You write unit tests. Cover the edge cases and use table tests where they fit.\n\nCode under test:\n\`\`\`\n${v.code()}\n\`\`\`\n\nReturn only the test file.`,
]
