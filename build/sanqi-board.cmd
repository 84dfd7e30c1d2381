@echo off
rem Opens the board in your browser. Close this window to end it.
"%~dp0sanqi.exe" board %*
if errorlevel 1 pause
