/** A user's program that loads every entry point for Node: prints what each says to the versions around it. */
for (const entry of ['bosun', 'bosun/machines', 'bosun/crew', 'bosun/gateway', 'bosun/testing']) {
  try {
    await import(entry);
    console.log(`${entry}: loaded`);
  } catch (error) {
    console.log(`${entry}: ${error.code}: ${error.message}`);
  }
}
