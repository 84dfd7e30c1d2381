/* A Windows host that starts engines as real hosts do, for the tests. Python's subprocess cannot do all of it.

       host MANNER COMMAND-LINE

   MANNER, one or more letters:
       e   like eleeye's pipe.cpp, PIPE.DLL and their descendants: the engine inherits every end of both pipes, also
           the writing end of its own input, so it never sees the end of that input while it runs
       n   CREATE_NO_WINDOW, as GUIs do
       d   DETACHED_PROCESS: no console at all
       s   no handle for stderr (a GUI that gives two handles of three)
       g   a process group of its own
       -   none of these, as in Piskvork

   Prints `host: pid N`. Then passes its own input on to the engine with CR LF, and the engine's output to its own.
   The line `!leave` ends the host at once, without a word to the engine; `!close` closes the engine's input.
   When the engine ends, it prints `host: status N`. */

#include <stdio.h>
#include <string.h>
#include <windows.h>

static HANDLE to_engine;

static void write_all(HANDLE to, const char *text, DWORD length)
{
    DWORD written;
    while (length && WriteFile(to, text, length, &written, NULL)) {
        text += written;
        length -= written;
    }
}

static DWORD WINAPI pass_on(void *unused)
{
    char line[65536];
    (void)unused;
    while (fgets(line, sizeof line - 2, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strcmp(line, "!leave"))
            ExitProcess(0);
        if (!strcmp(line, "!close")) {
            CloseHandle(to_engine);
            continue;
        }
        strcat(line, "\r\n");
        write_all(to_engine, line, (DWORD)strlen(line));
    }
    return 0;
}

int wmain(int count, wchar_t **arguments)
{
    SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, NULL, TRUE};
    HANDLE engine_in, engine_out, from_engine, output = GetStdHandle(STD_OUTPUT_HANDLE);
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION engine;
    DWORD flags = 0, length, status;
    const wchar_t *manner;
    char buffer[65536];

    if (count != 3)
        return 2;
    manner = arguments[1];
    if (!CreatePipe(&engine_in, &to_engine, &inheritable, 0) || !CreatePipe(&from_engine, &engine_out, &inheritable, 0))
        return 3;
    if (!wcschr(manner, 'e')) {
        SetHandleInformation(to_engine, HANDLE_FLAG_INHERIT, 0);
        SetHandleInformation(from_engine, HANDLE_FLAG_INHERIT, 0);
    }
    start.hStdInput = engine_in;
    start.hStdOutput = engine_out;
    start.hStdError = wcschr(manner, 's') ? NULL : engine_out;
    if (wcschr(manner, 'n'))
        flags |= CREATE_NO_WINDOW;
    if (wcschr(manner, 'd'))
        flags |= DETACHED_PROCESS;
    if (wcschr(manner, 'g'))
        flags |= CREATE_NEW_PROCESS_GROUP;
    if (!CreateProcessW(NULL, arguments[2], NULL, NULL, TRUE, flags, NULL, NULL, &start, &engine)) {
        printf("host: cannot start it (%lu)\n", GetLastError());
        return 4;
    }
    CloseHandle(engine_in);
    CloseHandle(engine_out);
    sprintf(buffer, "host: pid %lu\r\n", engine.dwProcessId);
    write_all(output, buffer, (DWORD)strlen(buffer));
    CreateThread(NULL, 0, pass_on, NULL, 0, NULL);
    while (ReadFile(from_engine, buffer, sizeof buffer, &length, NULL) && length)
        write_all(output, buffer, length);
    WaitForSingleObject(engine.hProcess, INFINITE);
    GetExitCodeProcess(engine.hProcess, &status);
    sprintf(buffer, "host: status %lu\r\n", status);
    write_all(output, buffer, (DWORD)strlen(buffer));
    ExitProcess(0);
}
