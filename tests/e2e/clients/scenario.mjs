// What every JavaScript client is asked to do, the same for all: list, bash, python, write, read back.
// `call(name, args)` returns the tool's result as the client gives it.
export async function scenario(listTools, call) {
  const cells = {};
  const object = (result) => JSON.parse(result.content[0].text);
  const tools = (await listTools()).tools.map((tool) => tool.name);
  const wanted = ['file_delete', 'file_list', 'file_move', 'file_read', 'file_write', 'system_env_var', 'system_run_command',
    'system_run_python'];
  cells.list = wanted.every((name) => tools.includes(name));
  const bash = object(await call('system_run_command', { command: 'echo from-bash; pwd' }));
  cells.bash = bash.stdout === 'from-bash\n/workspace\n' && bash.exit_code === 0;
  const python = object(await call('system_run_python', { code: 'print("from-python")\n_ = 6 * 7' }));
  cells.python = python.output === 'from-python\n' && python.result === 42;
  const write = object(await call('file_write', { path: 'note.md', content: 'grüße\n' }));
  cells.write = write.success === true;
  const read = object(await call('file_read', { path: '/workspace/note.md' }));
  cells['read back'] = read.content === 'grüße\n' && read.success === true;
  return cells;
}

// argv: KIND (http | sse | stdio) and a JSON target {url} or {command, env}.
export function target() {
  return { kind: process.argv[2], ...JSON.parse(process.argv[3]) };
}
