import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const artist = from(
  'Nina Falk|Otis Ward|Jelena Ilić|Rafael Pinto|Sora Ito|Beth Lowe|Kofi Asante|Marta Vidal|Ulf Ek|Deniz Aydin|Paula Weiss',
)
const game = from('Moonfall|Iron Valley|Tide Runner|Little Foxes|Ember Road|Sky Courier|Deep Harbor|Glasswing')
const note = from(
  'The jump feels late on slow phones.|Music stops after the second boss.|Players skip the tutorial.|The map is too dark at night.|Save files grew by a third.|The trader repeats one line.|Frames drop in the forest.|The ending surprised testers.|A door opens into nothing.|Subtitles overlap in German.|The shop crashes without network.|Children liked the fox.',
)
const notes = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => note(v), glue)
const post = from(
  'when is the update|I lost my save|refund please|the boss is unfair|love the music|it crashes on start|add a map|my friend cannot join|too many ads|how do I skip|is there a demo',
)
const code = (v: Values) =>
  v.many(
    2,
    8,
    () =>
      v.pick(['player.jump()', 'if (hp <= 0) die()', 'spawn(enemy, 3)', 'camera.follow(player)', 'return score * 2']),
    '\n',
  )

/** What a studio that makes games sends. Measured first, then rules were mended by it. */
export const STUDIO_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `[game]\ntitle = ${game(v)}\nbuild = ${v.int(1, 9)}.${v.int(0, 99)}\n\n[player]\nname = ${artist(v)}\nlevel = ${v.int(1, 60)}\n\n[you]\nYou are the innkeeper. Speak in riddles. Give one hint about the next quest and never mention that this is a game.`,
  (v) =>
    `[game]\ntitle = ${game(v)}\nbuild = ${v.int(1, 9)}.${v.int(0, 99)}\n\n[player]\nname = ${artist(v)}\nlevel = ${v.int(1, 60)}\n\n[you]\nYou are the support desk. Ask for the device and for the last save. Offer no refund yourself.`,
  (v) =>
    `Cluster the feedback of testers of ${game(v)} (${v.int(5, 80)} sessions).\n\nFeedback:\n${v.many(4, 10, () => `- ${note(v)}`, '\n')}\n\nReturn at most five themes. For each: a name, a count, and one quotation.`,
  (v) =>
    `Turn the feedback of testers of ${game(v)} into tickets.\n\nFeedback:\n${v.many(4, 10, () => `- ${note(v)}`, '\n')}\n\nOne ticket per problem, with steps to reproduce. Leave out praise and wishes.`,
  (v) =>
    `- post: ${post(v)}\n  mood: ${v.pick(['angry', 'happy', 'neutral'])}\n- post: ${post(v)}\n  mood: ${v.pick(['angry', 'happy', 'neutral'])}\n${v.many(1, 5, () => `- post: ${post(v)}\n  mood: ${v.pick(['angry', 'happy', 'neutral'])}\n`, '')}\nContinue the list for the next post. Write the mood and nothing else.`,
  (v) =>
    `- post: ${post(v)}\n  team: ${v.pick(['support', 'design', 'billing', 'nobody'])}\n${v.many(2, 6, () => `- post: ${post(v)}\n  team: ${v.pick(['support', 'design', 'billing', 'nobody'])}\n`, '')}\nContinue the list for the next post. Choose the team that must answer it.`,
  (v) =>
    `# Design document of ${game(v)}\n${v.many(2, 5, (index) => `## ${index + 1}. ${v.pick(['Combat', 'Economy', 'Story', 'Controls', 'Audio'])}\n${notes(v, 1, 4)}`, '\n')}\n\n# Question\nAnswer the designer from the document. Quote the section. If it is undecided, list the options and who should decide.`,
  (v) =>
    `# Design document of ${game(v)}\n${v.many(2, 5, (index) => `## ${index + 1}. ${v.pick(['Combat', 'Economy', 'Story', 'Controls', 'Audio'])}\n${notes(v, 1, 4)}`, '\n')}\n\n# Question\nEstimate the work in days for each section. Name the largest risk. Use a table with three columns.`,
  (v) =>
    `<review>\n<author>${artist(v)}</author>\n<branch>${v.noun()}-${v.int(1, 900)}</branch>\n<code>\n${code(v)}\n</code>\n</review>\nReview the script for players who cheat. Point at the line, say how it can be exploited, and propose a check on the server.`,
  (v) =>
    `<review>\n<author>${artist(v)}</author>\n<branch>${v.noun()}-${v.int(1, 900)}</branch>\n<code>\n${code(v)}\n</code>\n</review>\nRewrite the script so that it runs in less time per frame. Keep its behaviour. Explain each change in a comment.`,
  (v) =>
    `Localise the line into ${v.pick(['Japanese', 'German', 'Brazilian Portuguese', 'Polish', 'Korean', 'French'])}. At most ${v.int(20, 60)} characters. Keep {placeholders}. Speaker: ${artist(v)}.\n\nLine: "${note(v)}"`,
  (v) =>
    `Chat of the guild, oldest first:\n${v.many(3, 9, () => `<${artist(v)}> ${post(v)}`, '\n')}\n\nModerate the last message. Answer allow, warn or mute. A warning needs the rule that was broken.`,
  (v) =>
    `Credits form\nGame: ${game(v)}\nPerson: ${artist(v)}\nRole: ${v.pick(['animator', 'composer', 'tester', 'writer', 'producer', 'engineer'])}\nMonths: ${v.int(1, 48)}\nWishes: ${v.pick(['none', 'nickname', 'no photo', 'last name first'])}\n\nWrite the entry for the credits. Respect the wishes. One line, no adjectives.`,
  (v) =>
    `You compose prompts for concept artists. Game: ${game(v)}. Mood: ${v.pick(['calm', 'eerie', 'festive', 'bleak', 'heroic'])}. Place: ${v.city()}.\nDescribe light, material and scale in four sentences. Avoid names of living artists.`,
  (v) =>
    `Tool calls so far: ${v.int(0, 12)}\nOpen files: ${v.many(1, 4, () => `${v.noun()}.lua`, ', ')}\nLast output:\n\`\`\`\n${code(v)}\n\`\`\`\n\nYou fix crashes of ${game(v)}. Reproduce the crash first, then write the smallest patch. Stop and report after three failed attempts.`,
  (v) =>
    `Du schreibst die Patchnotizen für ${game(v)}, Version ${v.int(1, 9)}.${v.int(0, 40)}.\n\nÄnderungen:\n${v.many(2, 7, () => `* ${v.pick(['Sprung reagiert früher', 'Karte heller', 'Händler spricht mehr', 'Absturz im Laden behoben', 'Untertitel verschoben'])}`, '\n')}\n\nFasse Ähnliches zusammen. Schreibe locker, aber ohne Witze. Höchstens acht Zeilen.`,
  (v) =>
    `Tu animes le forum du jeu ${game(v)}. Message de ${v.pick(['Zoé', 'Karim', 'Lucas', 'Inès', 'Théo'])} du ${v.int(1, 28)} ${v.pick(['janvier', 'mars', 'juin', 'octobre'])} :\n« ${v.pick(['Le boss est injuste.', 'La carte est trop sombre.', 'Je ne trouve plus ma sauvegarde.', 'La musique est superbe.'])} »\nRéponds avec humour, donne une astuce et invite à la prochaine partie.`,
  (v) =>
    `Which of two endings do players prefer?\n\nEnding 1: ${notes(v, 1, 3)}\nEnding 2: ${notes(v, 1, 3)}\n\nThink about pace and surprise only. Answer 1, 2 or EQUAL with a reason of one sentence.`,
]
